/*
 * Messages that a movement bears while it goes on. They say why it waits and are taken away when it goes on; how it ended
 * is a message of another kind, and so is what somebody else has written there.
 */
const attemptLost = /^attempt \d+ of \d+ was lost: /;
const waitingFor = 'waiting: ';

export const attemptLostNote = (attempt: number, attempts: number, cause: string): string =>
  `attempt ${attempt} of ${attempts} was lost: ${cause}`;

/** After {@link attemptLostNote} the earlier note is part of the story and is kept in front. */
export function waitingNote(cause: string, present: string | undefined): string {
  const story = present !== undefined && attemptLost.test(present) ? `${present.split('; waiting: ')[0]}; ` : '';
  return `${story}${waitingFor}${cause}`;
}

export const isNote = (message: string | undefined): boolean =>
  message !== undefined && (message.startsWith(waitingFor) || attemptLost.test(message));

/** Somebody else's words, which are not ours to replace while the movement continues. */
export const isForeign = (message: string | undefined): boolean =>
  message !== undefined && message !== '' && !isNote(message);

/** For a status that moves on: takes our note away, if that is what its message is. */
export const noteRemoval = (message: string | undefined): { message?: null } =>
  isNote(message) ? { message: null } : {};
