import { AppError, isAppError } from '@lateen/errors';
import { endsEarly, notWhatWasAsked, type StorePlace, textOf, textsOf } from '@lateen/object-store';
import type { S3Client } from './s3-client.ts';

interface Listing {
  client: S3Client;
  place: StorePlace;
  bytesMax: number;
}

interface Upload {
  key: string;
  id: string;
}

/** A key has a few; this stops a listing without end. */
const pagesMax = 1_000;

/** Ends multipart uploads of a key that were begun and neither completed nor aborted. @returns how many */
export async function endUploads(listing: Listing, key: string, signal: AbortSignal | undefined): Promise<number> {
  let count = 0;
  for await (const upload of uploads(listing, key, signal)) {
    await endUpload(listing.client, upload, signal);
    count++;
  }
  return count;
}

async function endUpload(client: S3Client, { key, id }: Upload, signal: AbortSignal | undefined): Promise<void> {
  await client.send({ method: 'DELETE', key, query: { uploadId: id }, signal }).catch((error: unknown) => {
    // Ended meanwhile, by its writer or by another clean-up.
    if (!isAppError(error, 'OBJECT_NOT_FOUND')) throw error;
  });
}

/** The prefix is the whole key: some stores list uploads for no other. */
async function* uploads(listing: Listing, key: string, signal: AbortSignal | undefined): AsyncGenerator<Upload> {
  let markers: Record<string, string> = {};
  for (let page = 0; page < pagesMax; page++) {
    const xml = await uploadsPage(listing, { uploads: '', prefix: key, ...markers }, signal);
    for (const block of textsOf(xml, 'Upload')) {
      const upload = { key: textOf(block, 'Key'), id: textOf(block, 'UploadId') };
      if (upload.key === key && upload.id !== '') yield upload;
    }
    if (textOf(xml, 'IsTruncated') !== 'true') return;
    markers = { 'key-marker': textOf(xml, 'NextKeyMarker'), 'upload-id-marker': textOf(xml, 'NextUploadIdMarker') };
    // Keys come in order, and that of the uploads is the first with its prefix.
    if (markers['key-marker'] !== key) return;
  }
  throw new AppError('OBJECT_STORE_BAD_ANSWER', `a listing of unfinished uploads has more than ${pagesMax} pages`);
}

async function uploadsPage(
  { client, place, bytesMax }: Listing,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { body, header } = await client.send({ method: 'GET', key: '', query, signal }, bytesMax);
  const xml = new TextDecoder().decode(body);
  if (!xml.includes('<ListMultipartUploadsResult')) {
    throw notWhatWasAsked(place, 'listing', { text: xml, contentType: header('content-type') });
  }
  if (!/(?:<\/ListMultipartUploadsResult>|<ListMultipartUploadsResult[^>]*\/>)\s*$/.test(xml.slice(-1_000))) {
    throw endsEarly(place, 'a listing');
  }
  return xml;
}
