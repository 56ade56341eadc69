import { describe, expect, it } from 'vitest';
import { answers, type Behaviour, type Handler } from './bad-server.ts';
import { type Seen, secrets, validated, type World } from './bad-server-world.ts';

/** The whole message of a location on S3 when the store answers with its own error codes. */
interface Row {
  name: string;
  behaviour: Behaviour;
  message: string;
  tries?: number;
  world?: Partial<World>;
  check?(seen: Seen): void;
}

const place = 'bucket "backups" at 127.0.0.1:PORT';
const notIt = 'Check that config.s3Url is the address of an S3 service, not of its web page or of a proxy.';
const checksum = 'A store without support for checksums needs config.checksumAlgorithm "".';
const error = (code: string, message: string, more = ''): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message>${more}<RequestId>4442587FB7D0A2F9</RequestId></Error>`;
const refuses = (status: number, code: string, message: string, more = '', headers: Record<string, string> = {}) =>
  answers(status, error(code, message, more), { 'content-type': 'application/xml', ...headers });
const listing = (names: readonly string[], more = '') =>
  `<ListBucketResult>${names.map((name) => `<CommonPrefixes><Prefix>${name}/</Prefix></CommonPrefixes>`).join('')}${more}</ListBucketResult>`;

const rows: Row[] = [
  {
    name: 'the session token has expired',
    behaviour: refuses(400, 'ExpiredToken', 'The provided token has expired.'),
    message: `${place} refuses access because the credentials have expired (ExpiredToken: The provided token has expired). Put fresh credentials into the Secret.`,
  },
  {
    name: 'the token is invalid, and repeated',
    behaviour: (_, response) =>
      response
        .writeHead(400)
        .end(
          error(
            'InvalidToken',
            `The token ${secrets.sessionToken} is malformed.`,
            `<Token-0>${secrets.sessionToken}</Token-0>`,
          ),
        ),
    message: `${place} refuses access because the credentials have expired (InvalidToken: The token *** is malformed). Put fresh credentials into the Secret.`,
  },
  {
    name: 'the clocks differ by hours',
    behaviour: refuses(
      403,
      'RequestTimeTooSkewed',
      'The difference between the request time and the current time is too large.',
      '',
      { date: 'Tue, 01 Jan 2030 02:03:00 GMT' },
    ),
    message: `${place} refuses access because its clock and ours differ by 123m (RequestTimeTooSkewed: The difference between the request time and the current time is too large). Set the clock of the node, or that of the object store (NTP).`,
  },
  {
    name: 'the clocks differ, and the store has no date',
    behaviour: refuses(403, 'RequestTimeTooSkewed', 'Too large.'),
    message: `${place} refuses access because its clock and ours differ (RequestTimeTooSkewed: Too large). Set the clock of the node, or that of the object store (NTP).`,
  },
  {
    name: 'the access key is unknown',
    behaviour: refuses(403, 'InvalidAccessKeyId', 'The AWS Access Key Id you provided does not exist in our records.'),
    message: `${place} refuses access (InvalidAccessKeyId: The AWS Access Key Id you provided does not exist in our records). The store does not know the access key; check aws_access_key_id in the Secret.`,
  },
  {
    name: 'the secret key is wrong, and everything that was sent is repeated',
    behaviour: (request, response) => {
      const { authorization = '' } = request.headers;
      const more = `<StringToSign>AWS4-HMAC-SHA256\n${secrets.sessionToken}</StringToSign><SignatureProvided>${authorization}</SignatureProvided><CanonicalRequest>x-amz-security-token:${secrets.sessionToken}</CanonicalRequest>`;
      response
        .writeHead(403)
        .end(error('SignatureDoesNotMatch', 'The request signature we calculated does not match.', more));
    },
    message: `${place} refuses access (SignatureDoesNotMatch: The request signature we calculated does not match). The secret access key is wrong; check aws_secret_access_key in the Secret.`,
  },
  {
    name: 'the signature is in the words',
    behaviour: (request, response) =>
      response
        .writeHead(403)
        .end(error('SignatureDoesNotMatch', `Got ${request.headers.authorization} with key ${secrets.secretKey}`)),
    message: `${place} refuses access (SignatureDoesNotMatch: Got *** with key ***). The secret access key is wrong; check aws_secret_access_key in the Secret.`,
  },
  {
    name: 'the owner of the keys may not',
    behaviour: refuses(403, 'AccessDenied', 'Access Denied'),
    message: `${place} refuses access (AccessDenied: Access Denied). Check what the owner of the keys may do with the bucket (its policy, and that of the bucket).`,
  },
  {
    name: 'another refusal',
    behaviour: refuses(403, 'SomethingNew', 'of a store that we do not know'),
    message: `${place} refuses access (SomethingNew: of a store that we do not know). Check the keys in the Secret and what their owner may do with the bucket.`,
  },
  {
    name: 'a code that is none',
    behaviour: refuses(403, 'not a code <b>', 'words'),
    message: `${place} refuses access (HTTP 403: words). Check the keys in the Secret and what their owner may do with the bucket.`,
  },
  {
    name: 'the account is closed',
    behaviour: refuses(403, 'AllAccessDisabled', 'All access to this object has been disabled'),
    message: `${place} refuses access because the account is disabled (AllAccessDisabled: All access to this object has been disabled). Ask the owner of the account to enable it, or its billing, again.`,
  },
  {
    name: 'there is no such bucket',
    behaviour: refuses(404, 'NoSuchBucket', 'The specified bucket does not exist', '<BucketName>backups</BucketName>'),
    message: `${place} does not exist (NoSuchBucket: The specified bucket does not exist). Create the bucket, or correct spec.objectStorage.bucket.`,
  },
  {
    name: 'the bucket is elsewhere, says a redirect',
    behaviour: refuses(301, 'PermanentRedirect', 'Use the specified endpoint.', '', {
      'x-amz-bucket-region': 'ap-9',
      location: 'https://backups.s3.ap-9.example',
    }),
    message: `${place} cannot be used with region "eu-1" (PermanentRedirect: Use the specified endpoint). Set config.region to the region of the bucket. The bucket is in ap-9.`,
  },
  {
    name: 'the bucket is elsewhere, says a refusal',
    behaviour: refuses(
      400,
      'AuthorizationHeaderMalformed',
      "the region 'eu-1' is wrong; expecting 'ap-9'",
      '<Region>ap-9</Region>',
    ),
    message: `${place} cannot be used with region "eu-1" (AuthorizationHeaderMalformed: the region 'eu-1' is wrong; expecting 'ap-9'). Set config.region to the region of the bucket. The bucket is in ap-9.`,
  },
  {
    name: 'the bucket is where we asked, and not',
    behaviour: answers(301, '', { 'x-amz-bucket-region': 'eu-1' }),
    message: `${place} redirects in a loop: it names the region "eu-1" that was asked (HTTP 301). Check config.s3Url and config.region.`,
  },
  {
    name: 'it is to slow down, for ever',
    behaviour: refuses(503, 'SlowDown', 'Please reduce your request rate.', '', { 'retry-after': '31536000' }),
    message: `${place} answers SlowDown: Please reduce your request rate. It is overloaded. The request is retried automatically; raise its limits if this continues.`,
    tries: 5,
    check: ({ waits }) => expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeLessThan(10_000),
  },
  {
    name: 'it fails inside',
    behaviour: refuses(500, 'InternalError', 'We encountered an internal error. Please try again.'),
    message: `${place} answers InternalError: We encountered an internal error. Please try again. The request is retried automatically; check the object store, or the gateway in front of it, if this continues.`,
    tries: 5,
  },
  {
    name: 'it cannot do that',
    behaviour: refuses(501, 'NotImplemented', 'A header you provided implies functionality that is not implemented'),
    message: `${place} answers NotImplemented: A header you provided implies functionality that is not implemented. ${checksum}`,
  },
  {
    name: 'the key of the bucket is disabled',
    behaviour: refuses(400, 'KMS.DisabledException', 'arn:aws:kms:eu-1:1:key/2 is disabled.'),
    message: `${place} cannot use its encryption key (KMS.DisabledException: arn:aws:kms:eu-1:1:key/2 is disabled). Check config.kmsKeyId and who may use that key.`,
  },
  {
    name: 'it does not understand',
    behaviour: refuses(400, 'InvalidArgument', 'Unknown list-type'),
    message: `${place} answers HTTP 400 (InvalidArgument: Unknown list-type) for the bucket. ${notIt}`,
  },
  {
    name: 'an error that calls itself a success',
    behaviour: refuses(200, 'InternalError', 'late'),
    message: `${place} answers with something else where a listing should be. ${notIt}`,
  },
  {
    name: 'a page without the way to the next',
    behaviour: answers(200, listing(['backups'], '<IsTruncated>true</IsTruncated>')),
    message: `${place} answers with a listing that ends early. Check the object store, or the gateway in front of it: its answer was cut.`,
    tries: 5,
  },
  {
    name: 'names of directories that are none',
    behaviour: answers(200, listing(['a&#x110000;b', 'c&#10;d\u202e', '&#99999999;'])),
    message:
      'Backup store contains invalid top-level directories: [&#99999999; a&#x110000;b c d ]. Use a bucket or prefix of its own for backups.',
  },
  {
    name: 'names of directories that are a megabyte long',
    behaviour: answers(200, listing(['x'.repeat(1024 * 1024)])),
    message: `Backup store contains invalid top-level directories: [${'x'.repeat(100)}…]. Use a bucket or prefix of its own for backups.`,
  },
  {
    name: 'half a million directories that begin and do not end',
    behaviour: answers(200, listing([], '<CommonPrefixes><Prefix>'.repeat(500_000))),
    message: `${place} answers with a listing that ends early. Check the object store, or the gateway in front of it: its answer was cut.`,
    tries: 5,
  },
];

describe('a location on S3, when', () => {
  it.each(rows)('$name', async ({ behaviour, message, tries = 1, world, check }) => {
    const seen = await validated({ provider: 'aws', behaviour, ...world });
    expect(seen.message).toBe(message);
    const said = `BackupStorageLocation "default" is unavailable: ${message}`;
    expect(seen.events).toEqual([`Unavailable: ${said}`]);
    expect(seen.server.asked).toBe(tries);
    check?.(seen);
  });

  it('the store sets cookies, sends none back', async () => {
    const cookies: (string | undefined)[] = [];
    const behaviour: Handler = (request, response) => {
      cookies.push(request.headers.cookie);
      response.writeHead(503, { 'set-cookie': 'session=1; Path=/' }).end();
    };
    await validated({ provider: 'aws', behaviour });
    expect(cookies).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });

  it('no address is configured, says how the address was derived', async () => {
    const seen = await validated({ provider: 'aws', behaviour: answers(200), config: { s3Url: 'http://127.0.0.1:1' } });
    expect(seen.message).toBe(
      'object store http://127.0.0.1:1 cannot be reached: it refuses connections: connect ECONNREFUSED 127.0.0.1:1. Nothing listens there; check host and port in config.s3Url.',
    );
  });
});
