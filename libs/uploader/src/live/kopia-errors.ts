/** One entry that kopia could not read, as it says on standard error while it goes on. */
export interface KopiaEntryError {
  path: string;
  error: string;
  /** There is no such file any more; the second is what a server says of one that was deleted elsewhere. */
  isGone: boolean;
}

const line = /^ ?! Error when processing "(.*)": (.*)$/;
const gone = /: (no such file or directory|stale (NFS )?file handle)$/i;

/** Undefined for anything else that kopia says. */
export function parseEntryError(text: string): KopiaEntryError | undefined {
  const [, path, error = ''] = line.exec(text) ?? [];
  return path === undefined ? undefined : { path, error, isGone: gone.test(error) };
}

/** What kopia says more of a volume that changes under it: its estimate failed, and how many errors there were. */
export const isOfLiveVolume = (text: string): boolean =>
  /^(Unable to estimate|Found \d+ fatal error\(s\) while snapshotting )/.test(text);
