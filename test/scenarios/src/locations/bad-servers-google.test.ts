import { describe, expect, it } from 'vitest';
import { answers, type Behaviour, pours } from './bad-server.ts';
import { type Seen, secrets, validated } from './bad-server-world.ts';

/** The whole message of a location on Google Cloud Storage when it, or the token service, rejects requests. */
interface Row {
  name: string;
  behaviour: Behaviour;
  message: string;
  tries?: number;
  check?(seen: Seen): void;
}

const place = 'bucket "backups" at 127.0.0.1:PORT';
const tokens = 'the token service at 127.0.0.1:TOKENPORT';
const notIt = 'Check what stands between the cluster and Google Cloud Storage: something else answers in its place.';
const notTokens =
  "Check what stands between the cluster and Google's token service: something else answers in its place.";
const role = 'Give the account of the location the role "Storage Object Admin" on the bucket.';
const asksAgain =
  'The request is retried automatically; check the object store, or the gateway in front of it, if this continues.';
const tooMuch = 'It is overloaded. The request is retried automatically; raise its limits if this continues.';
const json = { 'content-type': 'application/json' };
const refuses = (status: number, reason: string, message: string, headers: Record<string, string> = {}) =>
  answers(
    status,
    JSON.stringify({ error: { code: status, message, errors: [{ message, domain: 'global', reason }] } }),
    {
      ...json,
      ...headers,
    },
  );

const rows: Row[] = [
  {
    name: 'the token is taken back',
    behaviour: refuses(401, 'authError', 'Invalid Credentials'),
    message: `${place} refuses access (authError: Invalid Credentials). Check the key in the Secret of the location, or the workload identity of the pods.`,
  },
  {
    name: 'the token is repeated',
    behaviour: (request, response) =>
      refuses(401, 'authError', `Invalid ${request.headers.authorization} and ${secrets.accessToken}`)(
        request,
        response,
        undefined as never,
      ),
    message: `${place} refuses access (authError: Invalid Bearer *** and ***). Check the key in the Secret of the location, or the workload identity of the pods.`,
  },
  {
    name: 'the account may not',
    behaviour: refuses(
      403,
      'forbidden',
      'backups@project.test does not have storage.objects.list access to the bucket.',
    ),
    message: `${place} refuses access (forbidden: backups@project.test does not have storage.objects.list access to the bucket). ${role}`,
  },
  {
    name: 'billing is off',
    behaviour: refuses(
      403,
      'accountDisabled',
      'The billing account for the owning project is disabled in state absent',
    ),
    message: `${place} refuses access because the account is disabled (accountDisabled: The billing account for the owning project is disabled in state absent). Ask the owner of the account to enable it, or its billing, again.`,
  },
  {
    name: 'there is no such bucket',
    behaviour: refuses(404, 'notFound', 'The specified bucket does not exist.'),
    message: `${place} does not exist (notFound: The specified bucket does not exist). Create the bucket, or correct spec.objectStorage.bucket.`,
  },
  {
    name: 'there are too many requests',
    behaviour: refuses(429, 'rateLimitExceeded', 'The rate of change requests is too high.', {
      'retry-after': '86400',
    }),
    message: `${place} answers rateLimitExceeded: The rate of change requests is too high. ${tooMuch}`,
    tries: 5,
    check: ({ waits }) => expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeLessThan(10_000),
  },
  {
    name: 'it fails inside',
    behaviour: refuses(503, 'backendError', 'Backend Error'),
    message: `${place} answers backendError: Backend Error. ${asksAgain}`,
    tries: 5,
  },
  {
    name: 'the requester has to pay',
    behaviour: refuses(400, 'required', 'Bucket is a requester pays bucket but no user project provided.'),
    message: `${place} answers HTTP 400 (required: Bucket is a requester pays bucket but no user project provided) for the bucket. ${notIt}`,
  },
  {
    name: 'an error that is a text',
    behaviour: answers(403, '{"error":"nope"}', json),
    message: `${place} refuses access (HTTP 403). ${role}`,
  },
  {
    name: 'an error with numbers for words',
    behaviour: answers(403, '{"error":{"message":{"a":1},"errors":[{"reason":5}]}}', json),
    message: `${place} refuses access (HTTP 403). ${role}`,
  },
  {
    name: 'directories that are a number',
    behaviour: answers(200, '{"kind":"storage#objects","prefixes":5}', json),
    message: `${place} answers with something else where a listing should be. ${notIt}`,
  },
  {
    name: 'directories without names',
    behaviour: answers(200, '{"kind":"storage#objects","prefixes":[null,{}]}', json),
    message: `${place} answers with something else where a listing should be. ${notIt}`,
  },
  {
    name: 'a list',
    behaviour: answers(200, '[]', json),
    message: `${place} answers with something else where a listing should be. ${notIt}`,
  },
];

const grant = (error: string, description: string) =>
  answers(400, JSON.stringify({ error, error_description: description }), json);

const tokenRows: Row[] = [
  {
    name: 'the key was deleted',
    behaviour: grant('invalid_grant', 'Invalid JWT Signature.'),
    message: `${tokens} refuses access (invalid_grant: Invalid JWT Signature). The key was deleted or has expired; make a new JSON key, and put it into the Secret.`,
  },
  {
    name: 'the clocks differ',
    behaviour: grant(
      'invalid_grant',
      'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.',
    ),
    message: `${tokens} refuses access because its clock and ours differ (invalid_grant: Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim). Set the clock of the node, or that of the object store (NTP).`,
  },
  {
    name: 'the account is gone',
    behaviour: grant('invalid_grant', 'Invalid grant: account not found'),
    message: `${tokens} refuses access (invalid_grant: Invalid grant: account not found). The service account is gone; make another one, and put its JSON key into the Secret.`,
  },
  {
    name: 'the account is disabled',
    behaviour: grant('disabled_client', 'The OAuth client was disabled.'),
    message: `${tokens} refuses access because the account is disabled (disabled_client: The OAuth client was disabled). Ask the owner of the account to enable it, or its billing, again.`,
  },
  {
    name: 'something else is wrong',
    behaviour: grant('invalid_scope', 'Invalid OAuth scope or ID token audience provided.'),
    message: `${tokens} refuses access (invalid_scope: Invalid OAuth scope or ID token audience provided). Check the key in the Secret of the location.`,
  },
  {
    name: 'a login page is there',
    behaviour: answers(200, '<html>hello</html>', { 'content-type': 'text/html' }),
    message: `${tokens} answers with a web page where a token should be. ${notTokens}`,
  },
  {
    name: 'it sends us elsewhere',
    behaviour: answers(308, '', { location: 'https://evil.example/token' }),
    message: `${tokens} redirects to evil.example (HTTP 308), which is not followed. ${notTokens}`,
  },
  {
    name: 'it fails',
    behaviour: answers(500, '{"error":"internal_failure"}', json),
    message: `${tokens} answers internal_failure. ${asksAgain}`,
    tries: 5,
  },
  {
    name: 'nobody is there',
    behaviour: 'nobody listens',
    message:
      'the token service http://127.0.0.1:TOKENPORT cannot be reached: it refuses connections: connect ECONNREFUSED 127.0.0.1:TOKENPORT. Check the network between the cluster and the object store.',
    tries: 0,
  },
  {
    name: 'its headers have no end',
    behaviour: {
      raw: (socket) => {
        socket.on('data', () => {});
        socket.write('HTTP/1.1 200 OK\r\n');
        pours(socket, `x-more: ${'y'.repeat(4_000)}\r\n`);
      },
    },
    message: `the token service http://127.0.0.1:TOKENPORT answers with larger headers than are read. ${notTokens}`,
    check: ({ tokenServer }) => expect(tokenServer.written).toBeLessThan(16 * 1024 * 1024),
  },
];

describe('a location on Google Cloud Storage, when', () => {
  it.each(rows)('$name', async ({ behaviour, message, tries = 1, check }) => {
    const seen = await validated({ provider: 'gcp', behaviour });
    expect(seen.message).toBe(message);
    expect(seen.events).toEqual([`Unavailable: BackupStorageLocation "default" is unavailable: ${message}`]);
    expect(seen.server.asked).toBe(tries);
    check?.(seen);
  });

  it('an empty bucket answers, is available', async () => {
    const seen = await validated({ provider: 'gcp', behaviour: answers(200, '{"kind":"storage#objects"}', json) });
    expect([seen.message, seen.events]).toEqual(['', ['Available: the location can be used']]);
  });
});

describe('a location on Google Cloud Storage, when its token service', () => {
  it.each(tokenRows)('$name', async ({ behaviour, message, tries = 1, check }) => {
    const seen = await validated({ provider: 'gcp', behaviour: answers(418), tokens: behaviour });
    expect(seen.message).toBe(message);
    expect(seen.events).toEqual([`Unavailable: BackupStorageLocation "default" is unavailable: ${message}`]);
    expect([seen.tokenServer.asked, seen.server.asked]).toEqual([tries, 0]);
    check?.(seen);
  });
});
