/*
 * Messages of a movement while it runs. They say why it waits and are removed when it continues. A message about its end is
 * different, and so is a message of another writer.
 */
const attemptLost = /^attempt \d+ of \d+ was lost: /;
const waitingFor = 'waiting: ';

export const attemptLostNote = (attempt: number, attempts: number, cause: string): string =>
  `attempt ${attempt} of ${attempts} was lost: ${cause}`;

/** The note of {@link attemptLostNote} is kept in front of the new one. */
export function waitingNote(cause: string, present: string | undefined): string {
  const story = present !== undefined && attemptLost.test(present) ? `${present.split('; waiting: ')[0]}; ` : '';
  return `${story}${waitingFor}${cause}`;
}

export const isNote = (message: string | undefined): boolean =>
  message !== undefined && (message.startsWith(waitingFor) || attemptLost.test(message));

/** A message of another writer, which we must not replace while the movement runs. */
export const isForeign = (message: string | undefined): boolean =>
  message !== undefined && message !== '' && !isNote(message);

/** For a status that moves on: removes the message if it is a note of ours. */
export const noteRemoval = (message: string | undefined): { message?: null } =>
  isNote(message) ? { message: null } : {};
