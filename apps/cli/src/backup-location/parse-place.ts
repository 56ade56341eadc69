import { quoted } from '@lateen/errors';
import { badFlag, hasControls } from '../refuse-flag.ts';

/** Longer than any bucket name of any provider, access point ARNs included. */
const bucketCharsMax = 255;
/** Half of the limit of an S3 key, so that there is room for the names below it. */
const prefixBytesMax = 512;
const providerCharsMax = 253;

/** The name of an object store plug-in: `aws`, `velero.io/aws` (object-store-layout.md section 1). */
const providerPattern = /^[A-Za-z0-9]([-A-Za-z0-9._]*[A-Za-z0-9])?(\/[A-Za-z0-9]([-A-Za-z0-9._]*[A-Za-z0-9])?)?$/;

/** @throws AppError BAD_FLAG, in Velero's words when it is missing (cli.md section 10) */
export function parseProvider(text: string | undefined): string {
  if (text === undefined || text.trim() === '') throw badFlag('--provider is required');
  if (text.length > providerCharsMax || !providerPattern.test(text))
    throw badFlag(`--provider ${quoted(text)} is not the name of a provider`, 'Use aws, azure, gcp or velero.io/fs.');
  return text;
}

/** @throws AppError BAD_FLAG, in Velero's words where it has some (cli.md sections 10 and 13) */
export function parseBucket(text: string | undefined): string {
  if (text === undefined || text.trim() === '') throw badFlag('--bucket is required');
  if (hasControls(text)) throw badFlag(`--bucket ${quoted(text)} holds a control character`);
  if (text.startsWith('-'))
    throw badFlag(`Bucket names cannot begin with a dash. Bucket name was: ${quoted(text).slice(1, -1)}`);
  if (text.includes('/') && !text.startsWith('arn:aws:s3:'))
    throw badFlag(
      `backup storage location's bucket name ${quoted(text)} must not contain a '/' (if using a prefix, put it in the 'Prefix' field instead)`,
      'Give the part after the bucket with --prefix.',
    );
  if (text.length > bucketCharsMax) throw badFlag(`--bucket is longer than ${bucketCharsMax} characters`);
  return text;
}

/** @throws AppError BAD_FLAG for characters that must not be printed on a terminal; `checkLocation` refuses an invalid path */
export function parsePrefix(text: string): string {
  if (hasControls(text)) throw badFlag(`--prefix ${quoted(text)} holds a control character`);
  if (Buffer.byteLength(text) > prefixBytesMax) throw badFlag(`--prefix is longer than ${prefixBytesMax} bytes`);
  return text;
}
