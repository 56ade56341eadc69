import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { invalidManifest, unknownVersion } from './attribute-record.ts';

/** The tag that holds a whole manifest; kopia keeps it under `tag:` and this name. */
export const inlineTag = 'lateen-attributes-inline';

/** Version of the form below; a later one is refused. */
const inlineVersion = 1;

/**
 * Longest value that is put into a tag. Every start of kopia loads the tags of all snapshots: with 1,000 of this length it
 * takes 76 ms of CPU more than without; with 1,000 manifests of their own, 52 ms more (bench/RESULTS.md).
 */
export const inlineLengthMax = 2048;

/** Longest manifest, in characters, that we try to pack: longer ones never fit. */
export const inlinePlainLengthMax = 32 * 1024;

/** Linux refuses an argument of 128 KiB or more (execve(2), MAX_ARG_STRLEN), so no valid tag is that long. */
const readLengthMax = 128 * 1024;

/** The most bytes that are unpacked, whatever the packed size is: this bounds the memory. */
const unpackedBytesMax = 1024 * 1024;

/**
 * Quality 10 takes 5 ms for 10 KB and saves 10 % over 9; 11 takes 15 ms and saves 4 % more. The window holds the longest
 * manifest.
 */
const brotli = { [constants.BROTLI_PARAM_QUALITY]: 10, [constants.BROTLI_PARAM_LGWIN]: 16 };

/** The tag value for the lines of a manifest: version, dot, base64url of brotli. Undefined when it would be too long. */
export function packInline(lines: string): string | undefined {
  if (lines.length > inlinePlainLengthMax) return undefined;
  const value = `${inlineVersion}.${brotliCompressSync(lines, { params: brotli }).toString('base64url')}`;
  return value.length <= inlineLengthMax ? value : undefined;
}

/**
 * Unpacks the lines in a tag. A tag is as untrusted as a manifest of its own; the caller still has to parse the lines.
 * @throws ATTRIBUTES_INVALID when it is not what `packInline` makes; ATTRIBUTES_VERSION when it is newer
 */
export function unpackInline(value: string): Uint8Array {
  const [, version, packed] = /^(\d{1,9})\.([\w-]*)$/.exec(value.slice(0, readLengthMax)) ?? [];
  if (version === undefined || packed === undefined) throw invalidManifest('its tag has no version');
  if (Number(version) !== inlineVersion) throw unknownVersion(Number(version), inlineVersion);
  try {
    return brotliDecompressSync(Buffer.from(packed, 'base64url'), { maxOutputLength: unpackedBytesMax });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ERR_BUFFER_TOO_LARGE') throw invalidManifest('it is larger than a tag may make it');
    throw invalidManifest('it cannot be unpacked');
  }
}
