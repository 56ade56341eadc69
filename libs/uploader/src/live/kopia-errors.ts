/** One entry that kopia could not read, as it reports on standard error while it continues. */
export interface KopiaEntryError {
  path: string;
  error: string;
  /** The file no longer exists; the second message is what a file server returns for one that was deleted by another client. */
  isGone: boolean;
}

const line = /^ ?! Error when processing "(.*)": (.*)$/;
const gone = /: (no such file or directory|stale (NFS )?file handle)$/i;

/** Undefined for any other message of kopia. */
export function parseEntryError(text: string): KopiaEntryError | undefined {
  const [, path, error = ''] = line.exec(text) ?? [];
  return path === undefined ? undefined : { path, error, isGone: gone.test(error) };
}

/** Further messages of kopia about a volume that changes while it is read: its estimate failed, and the number of errors. */
export const isOfLiveVolume = (text: string): boolean =>
  /^(Unable to estimate|Found \d+ fatal error\(s\) while snapshotting )/.test(text);
