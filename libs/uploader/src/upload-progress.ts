import { type PrintedSize, parseSize } from './kopia-size.ts';

/** One progress line of `kopia snapshot create`. */
export interface UploadProgress {
  hashedFiles: number;
  hashed: PrintedSize;
  cachedFiles: number;
  cached: PrintedSize;
  uploaded: PrintedSize;
  /** Undefined while kopia still counts the files. */
  estimated: PrintedSize | undefined;
}

const upload =
  /(\d+) hashing, (\d+) hashed \(([^)]+)\), (\d+) cached \(([^)]+)\), uploaded (\d+(?:\.\d+)? [A-Za-z]+)(?:.*?, estimated (\d+(?:\.\d+)? [A-Za-z]+))?/;

export function parseUploadProgress(line: string): UploadProgress | undefined {
  const match = upload.exec(line);
  if (match === null) return undefined;
  const [hashed, cached, uploaded] = [parseSize(match[3] ?? ''), parseSize(match[5] ?? ''), parseSize(match[6] ?? '')];
  if (hashed === undefined || cached === undefined || uploaded === undefined) return undefined;
  return {
    hashedFiles: Number(match[2]),
    hashed,
    cachedFiles: Number(match[4]),
    cached,
    uploaded,
    estimated: match[7] === undefined ? undefined : parseSize(match[7]),
  };
}
