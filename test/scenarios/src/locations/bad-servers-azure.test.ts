import type { LookupFunction } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { answers, type Behaviour, pours } from './bad-server.ts';
import { newAuthority } from './bad-server-certificates.ts';
import { type Seen, secrets, validated, type World } from './bad-server-world.ts';

/** The whole message of a location on Azure when the storage account, or the token service, rejects requests. */
interface Row {
  name: string;
  behaviour?: Behaviour;
  message: string;
  tries?: number;
  world?: Partial<World>;
  check?(seen: Seen): void;
}

const place = 'container "backups" at acct.store.test:PORT';
const store = 'object store http://acct.store.test:PORT';
const authority = 'the token service at 127.0.0.1:TOKENPORT';
const notIt =
  'Check that config.storageAccountURI is the address of Azure Blob Storage, not of its web page or of a proxy.';
const notEntra =
  'Check that config.activeDirectoryAuthorityURI is the address of Microsoft Entra ID, not of its web page or of a proxy.';
const asksAgain =
  'The request is retried automatically; check the object store, or the gateway in front of it, if this continues.';
const tooMuch = 'It is overloaded. The request is retried automatically; raise its limits if this continues.';
const keys = 'Check the keys in the Secret and what their owner may do with the container.';
const nobodyKnows =
  'Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly including the signature.';

/** Azure's messages contain the request ID and the time on lines of their own; a byte order mark comes first. */
const refuses = (status: number, code: string, message: string, detail = '', headers: Record<string, string> = {}) => {
  const body = `\ufeff<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>${message}\nRequestId:29d2-${status}\nTime:2030-01-01T00:00:00.123Z</Message>${detail === '' ? '' : `<AuthenticationErrorDetail>${detail}</AuthenticationErrorDetail>`}</Error>`;
  return answers(status, body, { 'content-type': 'application/xml', 'x-ms-error-code': code, ...headers });
};

const rows: Row[] = [
  {
    name: 'the account key is wrong, and what was signed is repeated',
    behaviour: (request, response) => {
      const detail = `The MAC signature found in the HTTP request '${request.headers.authorization}' is not the same as any computed signature.`;
      refuses(403, 'AuthenticationFailed', nobodyKnows, detail)(request, response, undefined as never);
    },
    message: `${place} refuses access (AuthenticationFailed: ${nobodyKnows.slice(0, -1)}). The account key is wrong, or was replaced; check it in the Secret.`,
  },
  {
    name: 'the clocks differ, and it says so',
    behaviour: refuses(
      403,
      'AuthenticationFailed',
      nobodyKnows,
      "Request date header too old: 'Tue, 01 Jan 2030 00:00:00 GMT'",
      {
        date: 'Tue, 01 Jan 2030 00:42:00 GMT',
      },
    ),
    message: `${place} refuses access because its clock and ours differ by 42m (AuthenticationFailed: ${nobodyKnows.slice(0, -1)}). Set the clock of the node, or that of the object store (NTP).`,
  },
  {
    name: 'the clocks differ, and only its date says so',
    behaviour: refuses(403, 'AuthenticationFailed', nobodyKnows, '', { date: 'Mon, 31 Dec 2029 23:30:00 GMT' }),
    message: `${place} refuses access because its clock and ours differ by 30m (AuthenticationFailed: ${nobodyKnows.slice(0, -1)}). Set the clock of the node, or that of the object store (NTP).`,
  },
  {
    name: 'the shared access signature has expired',
    behaviour: refuses(
      403,
      'AuthenticationFailed',
      nobodyKnows,
      'Signature not valid in the specified time frame: Start [Mon, 31 Dec 2029 00:00:00 GMT] - Expiry [Mon, 31 Dec 2029 23:00:00 GMT]',
    ),
    message: `${place} refuses access because the credentials have expired (AuthenticationFailed: ${nobodyKnows.slice(0, -1)}). Put fresh credentials into the Secret.`,
  },
  {
    name: 'the token has expired',
    behaviour: refuses(
      401,
      'InvalidAuthenticationInfo',
      'Server failed to authenticate the request.',
      'Lifetime validation failed. The token is expired.',
    ),
    message: `${place} refuses access because the credentials have expired (InvalidAuthenticationInfo: Server failed to authenticate the request). Put fresh credentials into the Secret.`,
  },
  {
    name: 'what was signed is no signature',
    behaviour: refuses(
      400,
      'InvalidAuthenticationInfo',
      'Authentication information is not given in the correct format.',
    ),
    message: `${place} refuses access (InvalidAuthenticationInfo: Authentication information is not given in the correct format). ${keys}`,
  },
  {
    name: 'the firewall of the account refuses',
    behaviour: refuses(403, 'AuthorizationFailure', 'This request is not authorized to perform this operation.'),
    message: `${place} refuses access (AuthorizationFailure: This request is not authorized to perform this operation). Check the firewall of the storage account.`,
  },
  {
    name: 'the principal has no role',
    behaviour: refuses(
      403,
      'AuthorizationPermissionMismatch',
      'This request is not authorized to perform this operation using this permission.',
    ),
    message: `${place} refuses access (AuthorizationPermissionMismatch: This request is not authorized to perform this operation using this permission). Give the service principal the role "Storage Blob Data Contributor" on the container.`,
  },
  {
    name: 'the account takes no keys',
    behaviour: refuses(
      403,
      'KeyBasedAuthenticationNotPermitted',
      'Key based authentication is not permitted on this storage account.',
    ),
    message: `${place} refuses access (KeyBasedAuthenticationNotPermitted: Key based authentication is not permitted on this storage account). The storage account takes no account keys; give a service principal in the Secret, or allow keys.`,
  },
  {
    name: 'the account is disabled',
    behaviour: refuses(403, 'AccountIsDisabled', 'The specified account is disabled.'),
    message: `${place} refuses access because the account is disabled (AccountIsDisabled: The specified account is disabled). Ask the owner of the account to enable it, or its billing, again.`,
  },
  {
    name: 'the account wants https',
    behaviour: refuses(400, 'AccountRequiresHttps', 'The account being accessed does not support http.'),
    message: `${place} answers HTTP 400 (AccountRequiresHttps: The account being accessed does not support http) for the container. Write config.storageAccountURI with https.`,
  },
  {
    name: 'there is no such container',
    behaviour: refuses(404, 'ContainerNotFound', 'The specified container does not exist.'),
    message: `${place} does not exist (ContainerNotFound: The specified container does not exist). Create the container, or correct spec.objectStorage.bucket.`,
  },
  {
    name: 'the container is on its way out',
    behaviour: refuses(409, 'ContainerBeingDeleted', 'The specified container is being deleted. Try operation later.'),
    message: `${place} does not exist (ContainerBeingDeleted: The specified container is being deleted. Try operation later). Create the container, or correct spec.objectStorage.bucket.`,
  },
  {
    name: 'it is too busy',
    behaviour: refuses(503, 'ServerBusy', 'Ingress is over the account limit.', '', { 'retry-after': '9999999' }),
    message: `${place} answers ServerBusy: Ingress is over the account limit. ${tooMuch}`,
    tries: 5,
    check: ({ waits }) => expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeLessThan(10_000),
  },
  {
    name: 'it fails inside',
    behaviour: refuses(500, 'InternalError', 'The server encountered an internal error. Please retry the request.'),
    message: `${place} answers InternalError: The server encountered an internal error. Please retry the request. ${asksAgain}`,
    tries: 5,
  },
  {
    name: 'a listing whose tags do not fit',
    behaviour: answers(200, '<EnumerationResults><Blobs><a></b></Blobs></EnumerationResults>', {
      'content-type': 'application/xml',
    }),
    message: `${place} answers with something else where a listing should be. ${notIt}`,
  },
  {
    name: 'a listing with a directory that has no name',
    behaviour: answers(
      200,
      '<EnumerationResults><Blobs><BlobPrefix/><BlobPrefix><X/></BlobPrefix></Blobs></EnumerationResults>',
    ),
    message: `${place} answers with something else where a listing should be. ${notIt}`,
  },
  {
    name: 'a listing with names of others, by a gateway that takes the type away',
    behaviour: answers(
      200,
      '<EnumerationResults><Blobs><BlobPrefix><Name>photos&amp;x/</Name></BlobPrefix></Blobs></EnumerationResults>',
    ),
    message:
      'Backup store contains invalid top-level directories: [photos&x]. Use a bucket or prefix of its own for backups.',
  },
  {
    name: 'the name does not resolve',
    world: { lookup: failing('ENOTFOUND') },
    message: `${store} cannot be reached: its host name does not resolve: getaddrinfo ENOTFOUND acct.store.test. Check config.storageAccountURI and the DNS of the cluster.`,
    tries: 0,
  },
  {
    name: 'nobody resolves names',
    world: { lookup: failing('EAI_AGAIN') },
    message: `${store} cannot be reached: the name server does not answer: getaddrinfo EAI_AGAIN acct.store.test. Check config.storageAccountURI and the DNS of the cluster.`,
    tries: 0,
  },
  {
    name: 'the account does not exist in the cloud',
    world: { lookup: failing('ENOTFOUND'), config: { storageAccountURI: '' } },
    message:
      'object store https://acct.blob.core.windows.net cannot be reached: its host name does not resolve: getaddrinfo ENOTFOUND acct.blob.core.windows.net. Check config.storageAccount and the DNS of the cluster.',
    tries: 0,
  },
];

function failing(code: string): LookupFunction {
  return (name, _, done) => done(Object.assign(new Error(`getaddrinfo ${code} ${name}`), { code }), '', 4);
}

const entra = (error: string, description: string) =>
  answers(
    401,
    JSON.stringify({
      error,
      error_description: `${description} Trace ID: 1f2e Correlation ID: 9a Timestamp: 2030-01-01 00:00:00Z`,
      error_codes: [1],
    }),
    { 'content-type': 'application/json' },
  );

const tokenRows: (Row & { tokens: Behaviour; tokenTries?: number })[] = [
  {
    name: 'the client secret has expired',
    tokens: entra('invalid_client', "AADSTS7000222: The provided client secret keys for app 'client-1' are expired."),
    message: `${authority} refuses access because the credentials have expired (invalid_client: AADSTS7000222: The provided client secret keys for app 'client-1' are expired). Make a new client secret, and put it into the Secret of the location.`,
  },
  {
    name: 'the client secret is wrong, and repeated',
    tokens: entra('invalid_client', `AADSTS7000215: Invalid client secret provided: ${secrets.clientSecret}.`),
    message: `${authority} refuses access (invalid_client: AADSTS7000215: Invalid client secret provided: ***). Check AZURE_CLIENT_SECRET in the Secret: its value, not its ID.`,
  },
  {
    name: 'the client is unknown',
    tokens: entra('unauthorized_client', "AADSTS700016: Application with identifier 'client-1' was not found."),
    message: `${authority} refuses access (unauthorized_client: AADSTS700016: Application with identifier 'client-1' was not found). Check AZURE_CLIENT_ID and AZURE_TENANT_ID in the Secret.`,
  },
  {
    name: 'the tenant is unknown',
    tokens: entra('invalid_request', "AADSTS90002: Tenant 'tenant-1' not found."),
    message: `${authority} refuses access (invalid_request: AADSTS90002: Tenant 'tenant-1' not found). Check AZURE_TENANT_ID in the Secret.`,
  },
  {
    name: 'the clocks differ',
    tokens: entra('invalid_client', 'AADSTS700024: Client assertion is not within its valid time range.'),
    message: `${authority} refuses access because its clock and ours differ (invalid_client: AADSTS700024: Client assertion is not within its valid time range). Set the clock of the node, or that of the object store (NTP).`,
  },
  {
    name: 'something else is wrong',
    tokens: entra('invalid_scope', 'AADSTS70011: The provided value for scope is not valid.'),
    message: `${authority} refuses access (invalid_scope: AADSTS70011: The provided value for scope is not valid). Check AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET in the Secret of the location.`,
  },
  {
    name: 'a login page is there',
    tokens: answers(200, '<!DOCTYPE html><html>hello</html>', { 'content-type': 'text/html' }),
    message: `${authority} answers with a web page where a token should be. ${notEntra}`,
  },
  {
    name: 'a page is not found there',
    tokens: answers(404, '<html>no</html>', { 'content-type': 'text/html' }),
    message: `${authority} answers HTTP 404 with a web page for the token. ${notEntra}`,
  },
  {
    name: 'it sends us elsewhere, with the secret',
    tokens: answers(307, '', { location: 'https://evil.example/token' }),
    message: `${authority} redirects to evil.example (HTTP 307), which is not followed. Set config.activeDirectoryAuthorityURI to the address that answers itself.`,
  },
  {
    name: 'a proxy wants credentials',
    tokens: answers(407),
    message: `a proxy before ${authority} asks for credentials of its own (HTTP 407). Give the proxy's credentials in HTTPS_PROXY or HTTP_PROXY of the pods, or name the store in NO_PROXY.`,
  },
  {
    name: 'it fails',
    tokens: answers(503),
    message: `${authority} answers HTTP 503. ${asksAgain}`,
    tokenTries: 5,
  },
  {
    name: 'it closes the connection',
    tokens: { raw: (socket) => void socket.end() },
    message:
      'the token service http://127.0.0.1:TOKENPORT cannot be reached: the connection was lost: socket hang up. Check the network between the cluster and the object store, and whether config.activeDirectoryAuthorityURI needs https.',
    tokenTries: 5,
  },
  {
    name: 'its answer has no end',
    tokens: (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      pours(response, Buffer.alloc(64 * 1024, ' '));
    },
    message: `${authority} answers with something else where a token should be. ${notEntra}`,
    check: ({ tokenServer }) => expect(tokenServer.written).toBeLessThan(16 * 1024 * 1024),
  },
  {
    name: 'its answer unpacks to a lot',
    tokens: answers(200, gzipSync(Buffer.alloc(64 * 1024 * 1024)), { 'content-encoding': 'gzip' }),
    message: `${authority} answers with something else where a token should be. ${notEntra}`,
  },
  {
    name: 'it gives a token that is none',
    tokens: answers(200, '{"access_token":{"a":1},"expires_in":"soon"}'),
    message: `${authority} answers with something else where a token should be. ${notEntra}`,
  },
];

describe('a location on Azure, when', () => {
  it.each(rows)('$name', async ({ behaviour = answers(418), message, tries = 1, world, check }) => {
    const seen = await validated({ provider: 'azure', behaviour, ...world });
    expect(seen.message).toBe(message);
    expect(seen.events).toEqual([`Unavailable: BackupStorageLocation "default" is unavailable: ${message}`]);
    expect(seen.server.asked).toBe(tries);
    check?.(seen);
  });
});

/** Azure's SDK sends tokens only over TLS. */
const ours = newAuthority('Authority of a test');
const overTls = {
  provider: 'azure',
  https: true,
  tls: ours.issue({ names: ['acct.blob.core.windows.net'] }),
  caCert: ours.cert,
} as const;

describe('a location on Azure, when its token service', () => {
  it.each(tokenRows)('$name', async ({ tokens, message, tokenTries = 1, check }) => {
    const seen = await validated({ ...overTls, behaviour: answers(418), tokens });
    expect(seen.message).toBe(message);
    expect(seen.events).toEqual([`Unavailable: BackupStorageLocation "default" is unavailable: ${message}`]);
    expect([seen.tokenServer.asked, seen.server.asked]).toEqual([tokenTries, 0]);
    check?.(seen);
  });

  it('is needed for a store without TLS, reports what is wrong', async () => {
    const seen = await validated({ provider: 'azure', behaviour: answers(418), tokens: answers(418) });
    expect(seen.message).toBe(
      'a service principal is only used over https, and config.storageAccountURI is an http address. Write config.storageAccountURI with https.',
    );
    expect([seen.tokenServer.asked, seen.server.asked]).toEqual([0, 0]);
  });

  it('returns a token that the store repeats, does not show the token', async () => {
    const seen = await validated({
      ...overTls,
      tokens: answers(200, JSON.stringify({ access_token: secrets.accessToken, expires_in: 3600 })),
      behaviour: (request, response) => response.writeHead(418).end(`got ${request.headers.authorization}`),
    });
    const atAzure = place.replace('acct.store.test', 'acct.blob.core.windows.net');
    expect(seen.message).toBe(`${atAzure} answers HTTP 418: got *** for the container. ${notIt}`);
  });
});
