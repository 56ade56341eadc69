import { afterEach, describe, expect, it } from 'vitest';
import { answer, closeServers, type Handler, storeOn, xmlError } from './test-server/store-on-server.ts';

afterEach(closeServers);

const page = (uploads: readonly [key: string, id: string][], more = '') =>
  `<?xml version="1.0"?><ListMultipartUploadsResult><Bucket>b</Bucket>${more}${uploads
    .map(([key, id]) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Owner><ID>x</ID></Owner></Upload>`)
    .join('')}</ListMultipartUploadsResult>`;

/** A store that returns these lists in turn, and deletes as `onDelete` says. */
async function storeWith(listings: readonly Handler[], onDelete: Handler = answer(204)) {
  const lines: string[] = [];
  const left = [...listings];
  const store = await storeOn(
    (request, response, body) => {
      lines.push(`${request.method} ${request.url}`);
      const next = request.method === 'DELETE' ? onDelete : (left.shift() ?? answer(500));
      next(request, response, body);
    },
    { region: 'r' },
  );
  return { store, lines };
}

describe('endAbandonedWrites on S3', () => {
  it('aborts the uploads of the key, page after page, and none of a longer key', async () => {
    const { store, lines } = await storeWith([
      answer(
        200,
        page(
          [['a/b&amp;c', '1']],
          '<IsTruncated>true</IsTruncated><NextKeyMarker>a/b&amp;c</NextKeyMarker><NextUploadIdMarker>1</NextUploadIdMarker>',
        ),
      ),
      answer(
        200,
        page(
          [
            ['a/b&amp;c', '2'],
            ['a/b&amp;cd', '3'],
          ],
          '<IsTruncated>true</IsTruncated><NextKeyMarker>a/b&amp;cd</NextKeyMarker><NextUploadIdMarker>3</NextUploadIdMarker>',
        ),
      ),
    ]);
    expect(await store.endAbandonedWrites('a/b&c')).toBe(2);
    expect(lines).toEqual([
      'GET /b/?uploads=&prefix=a%2Fb%26c',
      'DELETE /b/a/b%26c?uploadId=1',
      'GET /b/?uploads=&prefix=a%2Fb%26c&key-marker=a%2Fb%26c&upload-id-marker=1',
      'DELETE /b/a/b%26c?uploadId=2',
    ]);
  });

  it('treats a missing upload as ended', async () => {
    const gone = answer(404, xmlError('NoSuchUpload'));
    const { store } = await storeWith([answer(200, page([['k', '1']]))], gone);
    expect(await store.endAbandonedWrites('k')).toBe(1);
  });

  it.each<[string, Handler, string, string]>([
    ['may not list uploads', answer(403, xmlError('AccessDenied')), 'OBJECT_STORE_FORBIDDEN', 'AccessDenied'],
    ['gets an invalid response', answer(200, '<html></html>'), 'OBJECT_STORE_BAD_ANSWER', ''],
    ['gets a truncated list', answer(200, page([['k', '1']]).slice(0, -30)), 'OBJECT_STORE_BAD_ANSWER', 'listing'],
    ['finds no bucket', answer(404, xmlError('NoSuchBucket')), 'BUCKET_NOT_FOUND', ''],
  ])('fails when it %s', async (_, listing, code, message) => {
    const { store, lines } = await storeWith([listing]);
    await expect(store.endAbandonedWrites('k')).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
    expect(lines).toHaveLength(1);
  });

  it('fails when an upload cannot be aborted', async () => {
    const { store } = await storeWith([answer(200, page([['k', '1']]))], answer(403, xmlError('AccessDenied')));
    await expect(store.endAbandonedWrites('k')).rejects.toMatchObject({ code: 'OBJECT_STORE_FORBIDDEN' });
  });
});

describe('a write whose upload was aborted by another client', () => {
  it('fails with this cause, and does not report parts that are left', async () => {
    const store = await storeOn(
      (request, response) => {
        const isBegin = request.method === 'POST' && request.url?.includes('uploads=');
        if (isBegin)
          response.end('<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>');
        else response.writeHead(404).end(xmlError('NoSuchUpload'));
      },
      { region: 'r', limits: { partBytes: 10 } },
    );
    async function* pieces() {
      yield new Uint8Array(25);
    }
    await expect(store.write('k', pieces())).rejects.toMatchObject({
      code: 'OBJECT_NOT_FOUND',
      message: expect.not.stringContaining('still in the bucket'),
    });
  });
});
