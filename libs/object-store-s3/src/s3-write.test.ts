import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32c } from '@aws-crypto/crc32c';
import { describeError } from '@lateen/errors';
import { FakeClock, seededRandom, testCertificates } from '@lateen/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closeServers, type Given, type Handler, storeOn, xmlError } from './test-server/store-on-server.ts';

afterEach(closeServers);

const partBytes = 10;
/** Retries without delay. */
const deps = { clock: Object.assign(new FakeClock(), { sleep: async () => {} }), random: seededRandom(1) };
interface Seen {
  line: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** A store on a server with multipart uploads, unless `before` answers a request itself. */
async function multipartStore(before: (seen: Seen) => Handler | undefined = () => undefined, given: Given = {}) {
  const seen: Seen[] = [];
  const store = await storeOn(
    (request, response, body) => {
      const { pathname, search } = new URL(request.url ?? '', 'http://h');
      const here = { line: `${request.method} ${pathname}${search}`, headers: request.headers, body: body.toString() };
      seen.push(here);
      const other = before(here);
      if (other !== undefined) return other(request, response, body);
      if (here.line.startsWith('POST') && search.startsWith('?uploads')) {
        response.end('<InitiateMultipartUploadResult><UploadId>U&amp;1</UploadId></InitiateMultipartUploadResult>');
      } else if (request.method === 'POST') response.end('<CompleteMultipartUploadResult/>');
      else response.writeHead(200, { etag: `"${here.body.length}"` }).end();
    },
    { deps, limits: { partBytes }, region: 'r', ...given },
  );
  return { store, seen, lines: () => seen.map(({ line }) => line) };
}

async function* text(...pieces: string[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield new TextEncoder().encode(piece);
}

const abort = 'DELETE /b/k?uploadId=U%261';

describe('write to S3', () => {
  it('uses one PUT for one part', async () => {
    const { store, seen } = await multipartStore();
    await store.write('k', text('01234', '56789'));
    await store.write('k', text());
    expect(seen.map(({ line, body }) => `${line} ${body}`)).toEqual(['PUT /b/k 0123456789', 'PUT /b/k ']);
  });

  it('uses a multipart upload of equal parts with checksums for more', async () => {
    const { store, seen, lines } = await multipartStore();
    await store.write('k', text('0123', '456789abcdefgh', 'ijklm'));
    expect(lines()).toEqual([
      'POST /b/k?uploads=',
      'PUT /b/k?partNumber=1&uploadId=U%261',
      'PUT /b/k?partNumber=2&uploadId=U%261',
      'PUT /b/k?partNumber=3&uploadId=U%261',
      'POST /b/k?uploadId=U%261',
    ]);
    expect(seen.slice(1, 4).map(({ body }) => body)).toEqual(['0123456789', 'abcdefghij', 'klm']);
    expect(seen[0]?.headers['x-amz-checksum-algorithm']).toBe('CRC32');
    const sums = seen.slice(1, 4).map(({ headers }) => headers['x-amz-checksum-crc32']);
    // CRC-32 of "0123456789" is a684c7c6.
    expect(sums[0]).toBe(Buffer.from('a684c7c6', 'hex').toString('base64'));
    expect(seen[4]?.body).toContain(
      `<Part><PartNumber>1</PartNumber><ETag>&quot;10&quot;</ETag><ChecksumCRC32>${sums[0]}</ChecksumCRC32></Part>`,
    );
  });

  it('sends a part again after a temporary server error, and nothing else', async () => {
    let busy = 2;
    const { store, lines } = await multipartStore(({ line }) =>
      line.includes('partNumber=2') && busy-- > 0 ? (_, response) => response.writeHead(503).end() : undefined,
    );
    await store.write('k', text('0123456789', 'abcdefghij'));
    expect(lines().filter((line) => line.includes('partNumber=2'))).toHaveLength(3);
    expect(lines()).toHaveLength(6);
  });

  it.each<[string, string, Handler, string]>([
    [
      'a part is refused',
      'partNumber=2',
      (_, response) => response.writeHead(403).end(xmlError('AccessDenied')),
      'AccessDenied',
    ],
    ['a part gets no ETag', 'partNumber=2', (_, response) => response.end(), 'no ETag'],
    [
      'the parts cannot be joined, which is said after 200',
      'POST /b/k?uploadId',
      (_, response) => response.end(`  ${xmlError('InternalError')}`),
      'could not be joined (InternalError: words)',
    ],
  ])('deletes the parts when %s', async (_, where, handler, message) => {
    const { store, lines } = await multipartStore(({ line }) => (line.includes(where) ? handler : undefined));
    await expect(store.write('k', text('0123456789', 'abcdefghij', 'x'))).rejects.toMatchObject({
      message: expect.stringContaining(message),
    });
    expect(lines().at(-1)).toBe(abort);
  });

  it('reports remaining parts when they cannot be deleted', async () => {
    const { store } = await multipartStore(({ line }) =>
      line.includes('partNumber=1') || line.startsWith('DELETE')
        ? (_, response) => response.writeHead(403).end()
        : undefined,
    );
    await expect(store.write('k', text('0123456789', 'abcdefghij'))).rejects.toMatchObject({
      message: expect.stringContaining('its parts are still in the bucket'),
      nextStep: expect.stringContaining('lifecycle rule'),
    });
  });

  it('deletes the parts after an abort', async () => {
    const stop = new AbortController();
    const { store, lines } = await multipartStore(({ line }) => {
      if (line.includes('partNumber=2')) stop.abort(new Error('enough'));
      return undefined;
    });
    await expect(store.write('k', text('0123456789', 'abcdefghij'), { signal: stop.signal })).rejects.toThrow('enough');
    expect(lines().at(-1)).toBe(abort);
  });

  it.each([
    ['CRC32', 'x-amz-checksum-crc32', Buffer.from('a684c7c6', 'hex')],
    ['CRC32C', 'x-amz-checksum-crc32c', Buffer.from('280c069e', 'hex')],
    ['SHA1', 'x-amz-checksum-sha1', createHash('sha1').update('0123456789').digest()],
    ['SHA256', 'x-amz-checksum-sha256', createHash('sha256').update('0123456789').digest()],
  ])('sends a checksum by %s', async (checksumAlgorithm, header, value) => {
    const { store, seen } = await multipartStore(undefined, { checksumAlgorithm });
    await store.put('k', new TextEncoder().encode('0123456789'));
    expect(seen[0]?.headers[header]).toBe(value.toString('base64'));
    expect(seen[0]?.headers['x-amz-sdk-checksum-algorithm']).toBe(checksumAlgorithm);
    expect(seen[0]?.headers.authorization).toContain(header);
  });

  it('sends none for "", and rejects an unknown one', async () => {
    const { store, seen } = await multipartStore(undefined, { checksumAlgorithm: '' });
    await store.write('k', text('0123456789', 'abcdefghij'));
    expect(JSON.stringify(seen)).not.toMatch(/checksum/i);
    await expect(multipartStore(undefined, { checksumAlgorithm: 'MD4' })).rejects.toMatchObject({
      code: 'LOCATION_INVALID',
      nextStep: expect.stringContaining('CRC32C'),
    });
  });

  it('knows CRC-32C by its published values', () => {
    // RFC 3720, section B.4.
    expect(crc32c(new Uint8Array(32)).toString(16)).toBe('8a9136aa');
    expect(crc32c(new Uint8Array(32).fill(0xff)).toString(16)).toBe('62a8ab43');
  });

  it.each<[Given, Record<string, string>]>([
    [{ serverSideEncryption: 'AES256' }, { 'x-amz-server-side-encryption': 'AES256' }],
    [
      { kmsKeyId: 'alias/backups' },
      {
        'x-amz-server-side-encryption': 'aws:kms',
        'x-amz-server-side-encryption-aws-kms-key-id': 'alias/backups',
      },
    ],
    [{ tagging: 'team=a&keep=yes' }, { 'x-amz-tagging': 'team=a&keep=yes' }],
  ])('adds %j when an object is created, and only then', async (given, headers) => {
    const { store, seen } = await multipartStore(undefined, given);
    await store.put('k', new Uint8Array());
    await store.write('k', text('0123456789', 'abcdefghij'));
    await store.get('k');
    const [put, begun, ...others] = seen;
    expect(put?.headers).toMatchObject(headers);
    expect(begun?.headers).toMatchObject(headers);
    const names = Object.keys(headers);
    expect(others.filter((other) => names.some((name) => name in other.headers))).toEqual([]);
  });
});

describe('the body', () => {
  const { ca, server } = testCertificates();
  const sums = (body: string) => createHash('sha256').update(body).digest('hex');
  const bodies = ['0123456789', 'abcdefghij'];

  it.each([
    ['http: it is signed', {}, undefined],
    ['http with SHA-256 as checksum: it is signed', { checksumAlgorithm: 'SHA256' }, undefined],
    ['https to anybody: it is signed', { serverTls: server, verifyTls: false }, undefined],
    ['https: TLS protects it', { serverTls: server, caPem: ca }, 'UNSIGNED-PAYLOAD'],
  ])('over %s', async (_, given, instead) => {
    const { store, seen } = await multipartStore(undefined, given);
    await store.put('k', new TextEncoder().encode('0123'));
    await store.write('k', text(...bodies));
    await store.get('k');
    expect(seen.map(({ headers }) => headers['x-amz-content-sha256'])).toEqual(
      seen.map(({ body }) => instead ?? sums(body)),
    );
    expect(seen.filter(({ line }) => line.includes('partNumber')).map(({ body }) => body)).toEqual(bodies);
  });
});

describe('a customer key (SSE-C)', () => {
  const key = Buffer.from('0123456789abcdef0123456789abcdef');
  const { ca, otherCa, server } = testCertificates();
  let directory: string;
  let given: Given & { customerKeyEncryptionFile: string };
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'lateen-key-'));
    const customerKeyEncryptionFile = join(directory, 'key');
    // As an editor saves it: the line break is not part of the key.
    await writeFile(customerKeyEncryptionFile, `${key}\n`);
    given = { serverTls: server, caPem: ca, customerKeyEncryptionFile };
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('is sent with each request that carries object data, over TLS', async () => {
    const { store, seen } = await multipartStore(undefined, given);
    await store.put('k', new Uint8Array());
    await store.write('k', text('0123456789', 'abcdefghij'));
    await store.get('k');
    await Array.fromAsync(store.read('k'));
    await store.exists('k');
    await store.delete('k');
    const withKey = seen.filter(
      ({ headers }) => headers['x-amz-server-side-encryption-customer-key'] === key.toString('base64'),
    );
    expect(withKey.map(({ line }) => line)).toEqual([
      'PUT /b/k',
      'POST /b/k?uploads=',
      'PUT /b/k?partNumber=1&uploadId=U%261',
      'PUT /b/k?partNumber=2&uploadId=U%261',
      'GET /b/k',
      'GET /b/k',
      'HEAD /b/k',
    ]);
    expect(withKey[0]?.headers).toMatchObject({
      'x-amz-server-side-encryption-customer-algorithm': 'AES256',
      'x-amz-server-side-encryption-customer-key-md5': createHash('md5').update(key).digest('base64'),
    });
  });

  it('from memory is the same key, for a store that returns an object only with the key', async () => {
    const stored = new Map<string, { key: string | undefined; body: string }>();
    const strict = ({ line, headers, body }: Seen): Handler => {
      const sent = headers['x-amz-server-side-encryption-customer-key'] as string | undefined;
      const name = line.split(' ')[1] ?? '';
      if (line.startsWith('PUT')) stored.set(name, { key: sent, body });
      const object = stored.get(name);
      return (_, response) =>
        object?.key === sent
          ? response.writeHead(200, { etag: '"1"' }).end(line.startsWith('GET') ? object?.body : '')
          : response.writeHead(400).end(xmlError('InvalidRequest'));
    };
    const { customerKeyEncryptionFile: _, ...tls } = given;
    const { store, seen } = await multipartStore(strict, { ...tls, customerKey: key });
    await store.put('k', new TextEncoder().encode('of a backup'));
    expect(Buffer.from(await store.get('k')).toString()).toBe('of a backup');
    expect(stored.get('/b/k')).toEqual({ key: key.toString('base64'), body: 'of a backup' });
    // Objects written by an engine are unencrypted for the store and cannot be read with a key.
    stored.set('/b/engine', { key: undefined, body: 'blob' });
    const refused = await store.get('engine').catch((reason: unknown) => reason);
    expect(describeError(refused)).toContain('InvalidRequest');
    expect(describeError(refused)).not.toContain(key.toString('base64'));
    expect(JSON.stringify(seen.map(({ line }) => line))).not.toContain(key.toString('base64'));
  });

  it.each<[string, Given, RegExp]>([
    ['over http', { serverTls: undefined }, /only sent over https/],
    ['with kmsKeyId', { kmsKeyId: 'x' }, /together with config\.kmsKeyId/],
    ['beside another one', { customerKey: key }, /given twice/],
    ['of another length', { customerKeyEncryptionFile: '', customerKey: key.subarray(1) }, /has 31 bytes, not 32/],
  ])('is rejected %s', async (_, more, message) => {
    await expect(multipartStore(undefined, { ...given, ...more })).rejects.toMatchObject({
      code: 'LOCATION_INVALID',
      message: expect.stringMatching(message),
    });
  });

  it('that is too short or unreadable is rejected before anything is sent, and not printed', async () => {
    await writeFile(given.customerKeyEncryptionFile, 'short-secret');
    const { store, seen } = await multipartStore(undefined, given);
    const short = await store.put('k', new Uint8Array()).catch((reason: unknown) => reason);
    expect(short).toMatchObject({
      code: 'LOCATION_INVALID',
      message: expect.stringMatching(/has less than 32 bytes$/),
    });
    expect(describeError(short)).not.toContain('short-secret');
    await rm(given.customerKeyEncryptionFile);
    await expect(store.get('k')).rejects.toMatchObject({ message: expect.stringMatching(/cannot be read$/) });
    expect(seen).toEqual([]);
  });

  it('an untrusted certificate is reported, unless verification is off', async () => {
    const refused = await multipartStore(undefined, { ...given, caPem: otherCa });
    await expect(refused.store.get('k')).rejects.toMatchObject({
      code: 'OBJECT_STORE_UNAVAILABLE',
      message: expect.stringContaining('its certificate is not trusted'),
      nextStep: expect.stringContaining('caCertRef'),
    });
    const ignored = await multipartStore(undefined, { ...given, caPem: otherCa, verifyTls: false });
    expect(await ignored.store.get('k')).toHaveLength(0);
  });
});
