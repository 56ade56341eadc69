import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { answers, type Behaviour, type Handler, pours, says } from './bad-server.ts';
import { inWordsOf, type Provider, providers, type Seen, validated, type World } from './bad-server-world.ts';

/**
 * The whole message of a location when something that is not an object store answers, or a broken one: for all three providers, with the
 * real stores against real servers. Cases of a single provider are in the files beside this one.
 */
interface Row {
  name: string;
  behaviour: Behaviour | { of(provider: Provider): Behaviour };
  message: string | { gcp: string; others: string };
  /** Number of requests for one validation: errors that may be temporary are retried five times. */
  tries?: number;
  world?: Partial<World>;
  check?(seen: Seen): void;
}

const MiB = 1024 * 1024;
const page = '<!DOCTYPE html><html><title>Log in</title><form>…</form></html>';
const html = { 'content-type': 'text/html' };
const asksAgain =
  'The request is retried automatically; check the object store, or the gateway in front of it, if this continues.';
const tooMuch = 'It is overloaded. The request is retried automatically; raise its limits if this continues.';
const network = {
  gcp: 'Check the network between the cluster and the object store.',
  others: 'Check the network between the cluster and the object store, and whether {setting} needs https.',
};
const withNext = (text: string, next: { gcp: string; others: string }) => ({
  gcp: `${text} ${next.gcp}`,
  others: `${text} ${next.others}`,
});
const redirect =
  (status: number, to: (host: string) => string): Handler =>
  (request, response) =>
    response.writeHead(status, { location: to(request.headers.host ?? '') }).end();

const listingOf: Record<Provider, string> = {
  aws: '<?xml version="1.0"?><ListBucketResult><IsTruncated>false</IsTruncated><CommonPrefixes><Prefix>backups/</Prefix></CommonPrefixes></ListBucketResult>',
  azure:
    '<?xml version="1.0"?><EnumerationResults><Blobs><BlobPrefix><Name>backups/</Name></BlobPrefix></Blobs><NextMarker/></EnumerationResults>',
  gcp: '{"kind":"storage#objects","prefixes":["backups/"]}',
};

const webPages: Row[] = [
  {
    name: 'a login page',
    behaviour: answers(200, page, html),
    message: '{place} answers with a web page where a listing should be. {notIt}',
  },
  {
    name: 'a login page that does not say it is one',
    behaviour: answers(200, page, { 'content-type': 'application/octet-stream' }),
    message: '{place} answers with a web page where a listing should be. {notIt}',
  },
  {
    name: 'a page that refuses',
    behaviour: answers(403, page, html),
    message: '{place} refuses access (HTTP 403 with a web page). {notIt}',
  },
  {
    name: 'a page that wants a login',
    behaviour: answers(401, page, { ...html, 'www-authenticate': 'Basic realm="x"' }),
    message: '{place} refuses access (HTTP 401 with a web page). {notIt}',
  },
  {
    name: 'a page that is not found',
    behaviour: answers(404, page, html),
    message: '{place} answers HTTP 404 with a web page for the {kind}. {notIt}',
  },
  {
    name: 'a page of a gateway',
    behaviour: answers(502, '<html><h1>502 Bad Gateway</h1></html>', html),
    message: `{place} answers HTTP 502 with a web page. ${asksAgain}`,
    tries: 5,
  },
  {
    name: 'the JSON of a login service',
    behaviour: answers(200, '{"error":"login required"}', { 'content-type': 'application/json' }),
    message: '{place} answers with something else where a listing should be. {notIt}',
  },
];

const redirects: Row[] = [
  {
    name: 'a redirect to another host',
    behaviour: redirect(302, () => 'https://login.example/x?token=not-shown'),
    message: withNext('{place} redirects to login.example (HTTP 302), which is not followed.', {
      gcp: '{notIt}',
      others: 'Set {setting} to the address that answers itself.',
    }),
  },
  {
    name: 'a redirect that goes round',
    behaviour: (request, response) => {
      const other = request.url?.startsWith('/a') ? '/b' : '/a';
      response.writeHead(307, { location: `http://${request.headers.host}${other}` }).end();
    },
    message: withNext('{place} redirects to {host} (HTTP 307), which is not followed.', {
      gcp: '{notIt}',
      others: 'It redirects in a loop; check {setting}.',
    }),
  },
  {
    name: 'a redirect to itself',
    behaviour: (request, response) =>
      response.writeHead(308, { location: `http://${request.headers.host}${request.url}` }).end(),
    message: withNext('{place} redirects to {host} (HTTP 308), which is not followed.', {
      gcp: '{notIt}',
      others: 'It redirects in a loop; check {setting}.',
    }),
  },
  {
    name: 'a redirect to https',
    behaviour: redirect(301, (host) => `https://${host}/`),
    message: withNext('{place} redirects to {host} (HTTP 301), which is not followed.', {
      gcp: '{notIt}',
      others: 'Write {setting} with https.',
    }),
  },
];

const endless: Row[] = [
  {
    name: 'headers without end',
    behaviour: {
      raw: (socket) => {
        socket.on('data', () => {});
        socket.write('HTTP/1.1 200 OK\r\n');
        pours(socket, `x-more: ${'y'.repeat(4_000)}\r\n`);
      },
    },
    message: '{store} answers with larger headers than are read. {notIt}',
    check: ({ server }) => expect(server.written).toBeLessThan(16 * MiB),
  },
  {
    name: 'a listing without end',
    behaviour: {
      of: (provider) => (_, response) => {
        response.writeHead(200, { 'content-type': 'application/xml' }).write(listingOf[provider].slice(0, 50));
        pours(response, Buffer.alloc(64 * 1024, ' '));
      },
    },
    message: '{place} answers with a listing that is larger than the {listingMax} bytes that are read. {notIt}',
    check: ({ server }) => expect(server.written).toBeLessThan(64 * MiB),
  },
  {
    name: 'a refusal without end',
    behaviour: (_, response) => {
      response.writeHead(403);
      pours(response, Buffer.alloc(64 * 1024));
    },
    message: withNext('{place} refuses access (HTTP 403).', {
      gcp: 'Give the account of the location the role "Storage Object Admin" on the bucket.',
      others: 'Check the keys in the Secret and what their owner may do with the {kind}.',
    }),
    check: ({ server }) => expect(server.written).toBeLessThan(16 * MiB),
  },
  {
    name: 'a listing that unpacks to a lot',
    behaviour: answers(200, gzipSync(Buffer.alloc(64 * MiB)), { 'content-encoding': 'gzip' }),
    message: '{place} answers with something else where a listing should be. {notIt}',
    check: ({ server }) => expect(server.written).toBeLessThan(MiB),
  },
  {
    name: 'a flood of 100 Continue',
    behaviour: {
      raw: (socket) => {
        socket.on('data', () => {});
        pours(socket, 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1_000));
      },
    },
    message: withNext('{store} cannot be reached: the connection was lost: bad response.', network),
    tries: 5,
  },
  {
    name: 'a flood of 103 Early Hints',
    behaviour: {
      raw: (socket) =>
        void socket.on('data', () => {
          const more = () => {
            if (socket.destroyed) return;
            socket.write('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(10));
            setImmediate(more);
          };
          more();
        }),
    },
    message: 'no answer within 30s from {asked}. {noAnswer}',
    tries: 2,
    world: { hangs: true },
  },
];

const broken: Row[] = [
  {
    name: 'nobody',
    behaviour: 'nobody listens',
    message: withNext('{store} cannot be reached: it refuses connections: connect ECONNREFUSED 127.0.0.1:PORT.', {
      gcp: 'Check the network between the cluster and the object store.',
      others: 'Nothing listens there; check host and port in {setting}.',
    }),
    tries: 0,
  },
  {
    name: 'silence',
    behaviour: () => {},
    message: 'no answer within 30s from {asked}. {noAnswer}',
    tries: 2,
    world: { hangs: true },
  },
  {
    name: 'a connection that is closed',
    behaviour: { raw: (socket) => void socket.end() },
    message: withNext('{store} cannot be reached: the connection was lost: other side closed.', network),
    tries: 5,
  },
  {
    name: 'a connection that is reset',
    behaviour: { raw: (socket) => void socket.once('data', () => socket.resetAndDestroy()) },
    message: withNext('{store} cannot be reached: the connection was lost: read ECONNRESET.', network),
    tries: 5,
  },
  {
    name: 'half of a body',
    behaviour: (_, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('half');
      setImmediate(() => response.destroy());
    },
    message: withNext('{store} cannot be reached: the connection was lost: other side closed.', network),
    tries: 5,
  },
  {
    name: 'half of a listing, as if it were whole',
    behaviour: {
      of: (provider) => answers(200, listingOf[provider].slice(0, -12), { 'content-type': 'application/xml' }),
    },
    message:
      '{place} answers with a listing that ends early. Check the object store, or the gateway in front of it: its answer was cut.',
    tries: 5,
  },
  {
    name: 'an empty answer',
    behaviour: answers(200),
    message: '{place} answers with something else where a listing should be. {notIt}',
  },
  {
    name: 'no content',
    behaviour: answers(204),
    message: '{place} answers with something else where a listing should be. {notIt}',
  },
  {
    name: 'XML of something else',
    behaviour: answers(200, '<?xml version="1.0"?><feed><entry/></feed>', { 'content-type': 'application/xml' }),
    message: '{place} answers with something else where a listing should be. {notIt}',
  },
  {
    name: 'an XML bomb',
    behaviour: answers(
      200,
      `<?xml version="1.0"?><!DOCTYPE z [<!ENTITY a "${'a'.repeat(1_000)}"><!ENTITY b "${'&a;'.repeat(1_000)}">]><z>${'&b;'.repeat(1_000)}</z>`,
      { 'content-type': 'application/xml' },
    ),
    message: '{place} answers with something else where a listing should be. {notIt}',
  },
  {
    name: 'what is nested a million times',
    behaviour: {
      of: (provider) =>
        provider === 'gcp'
          ? answers(200, `{"kind":"storage#objects","x":${'['.repeat(1_000_000)}`)
          : answers(200, '<a>'.repeat(1_000_000), { 'content-type': 'application/xml' }),
    },
    message: '{place} answers with something else where a listing should be. {notIt}',
  },
  {
    name: 'the greeting of HTTP/2',
    behaviour: { raw: (socket) => void socket.end(Buffer.from('00000604000000000000040000ffff', 'hex')) },
    message: withNext(
      '{store} does not answer in HTTP: Response does not match the HTTP/1.1 protocol (Expected HTTP/, RTSP/ or ICE/).',
      { gcp: network.gcp, others: 'Check host and port in {setting}, and whether it needs https.' },
    ),
  },
  {
    name: 'the greeting of a mail server',
    behaviour: says('220 mail.example ESMTP', ''),
    message: withNext(
      '{store} does not answer in HTTP: Response does not match the HTTP/1.1 protocol (Expected HTTP/, RTSP/ or ICE/).',
      { gcp: network.gcp, others: 'Check host and port in {setting}, and whether it needs https.' },
    ),
  },
  {
    name: 'a body whose pieces have no size',
    behaviour: says('HTTP/1.1 200 OK', 'transfer-encoding: chunked', '', 'zz', ''),
    message: withNext(
      '{store} does not answer in HTTP: Response does not match the HTTP/1.1 protocol (Invalid character in chunk size).',
      {
        gcp: network.gcp,
        others: 'Check host and port in {setting}, and whether it needs https.',
      },
    ),
  },
];

const refusals: Row[] = [
  {
    name: 'a proxy that wants credentials',
    behaviour: answers(407, '', { 'proxy-authenticate': 'Basic realm="corp"' }),
    message:
      "a proxy before {place} asks for credentials of its own (HTTP 407). Give the proxy's credentials in HTTPS_PROXY or HTTP_PROXY of the pods, or name the store in NO_PROXY.",
  },
  {
    name: 'a firewall in plain text',
    behaviour: answers(403, 'Blocked by policy 12\nsee https://corp.example', { 'content-type': 'text/plain' }),
    message: withNext('{place} refuses access (HTTP 403: Blocked by policy 12).', {
      gcp: 'Give the account of the location the role "Storage Object Admin" on the bucket.',
      others: 'Check the keys in the Secret and what their owner may do with the {kind}.',
    }),
  },
  {
    name: 'no such bucket, without a word',
    behaviour: answers(404),
    message: '{place} does not exist (HTTP 404). Create the {kind}, or correct spec.objectStorage.bucket.',
  },
  {
    name: 'too many requests, and to come again in three years',
    behaviour: answers(429, '', { 'retry-after': '99999999' }),
    message: `{place} answers HTTP 429. ${tooMuch}`,
    tries: 5,
    check: ({ waits }) => expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeLessThan(10_000),
  },
  {
    name: 'no time now',
    behaviour: answers(503, '', { 'retry-after': 'Thu, 31 Dec 2099 00:00:00 GMT' }),
    message: `{place} answers HTTP 503. ${asksAgain}`,
    tries: 5,
    check: ({ waits }) => expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeLessThan(10_000),
  },
  {
    name: 'a status that nobody knows',
    behaviour: answers(418, 'short and stout'),
    message: '{place} answers HTTP 418: short and stout for the {kind}. {notIt}',
  },
  {
    name: 'a server that speaks only https, in its own words',
    behaviour: answers(400, 'Client sent an HTTP request to an HTTPS server.\n'),
    message: withNext('{place} answers HTTP 400: Client sent an HTTP request to an HTTPS server for the {kind}.', {
      gcp: '{notIt}',
      others: 'Write {setting} with https.',
    }),
  },
  {
    name: 'a server that speaks only https, with a page',
    behaviour: answers(400, '<html>The plain HTTP request was sent to HTTPS port</html>', html),
    message: withNext('{place} answers HTTP 400 with a web page for the {kind}.', {
      gcp: '{notIt}',
      others: 'Write {setting} with https.',
    }),
  },
  {
    name: 'control and direction characters',
    behaviour: answers(418, 'a\u202eb\u200bc\u2028d'),
    message: '{place} answers HTTP 418: a b c d for the {kind}. {notIt}',
  },
  {
    name: 'a megabyte of words',
    behaviour: answers(418, 'long '.repeat(200_000)),
    message: `{place} answers HTTP 418: ${'long '.repeat(60)}… for the {kind}. {notIt}`,
  },
  {
    name: 'our own proof',
    behaviour: (request, response) => {
      const { authorization = '', 'x-amz-security-token': token = '' } = request.headers;
      response.writeHead(418).end(`you sent ${authorization} and ${token}.`);
    },
    message: '{echo}',
  },
];

/** Messages of some rows that are specific to one provider. */
const own: Record<Provider, Record<string, string>> = {
  aws: {
    store: 'object store http://127.0.0.1:PORT',
    asked: 'bucket "backups" at 127.0.0.1:PORT',
    listingMax: '16777216',
    echo: 'bucket "backups" at 127.0.0.1:PORT answers HTTP 418: you sent *** and *** for the bucket. {notIt}',
  },
  azure: {
    store: 'object store http://acct.store.test:PORT',
    asked: 'container "backups" at acct.store.test:PORT',
    listingMax: '33554432',
    echo: 'container "backups" at acct.store.test:PORT answers HTTP 418: you sent *** and for the container. {notIt}',
  },
  gcp: {
    store: 'object store http://127.0.0.1:PORT',
    asked: 'bucket "backups" at storage.googleapis.com',
    listingMax: '8388608',
    echo: 'bucket "backups" at 127.0.0.1:PORT answers HTTP 418: you sent Bearer *** and for the bucket. {notIt}',
  },
};
const noAnswer =
  'Check the address in spec.config, the DNS of the cluster, and the network between it and the object store.';

const cases = [...webPages, ...redirects, ...endless, ...broken, ...refusals].flatMap((row) =>
  providers.map((provider) => ({ ...row, provider })),
);

describe('a location where something else answers', () => {
  it.each(cases)('$name, $provider', async ({ provider, behaviour, message, tries = 1, world, check }) => {
    const here = typeof behaviour === 'object' && 'of' in behaviour ? behaviour.of(provider) : behaviour;
    const seen = await validated({ provider, behaviour: here, ...world });
    const words: Record<string, string> = { ...own[provider], noAnswer };
    const text = typeof message === 'string' ? message : provider === 'gcp' ? message.gcp : message.others;
    const expected = inWordsOf(
      provider,
      text.replace(/\{(\w+)\}/g, (whole, name: string) => words[name] ?? whole),
    );
    expect(seen.message).toBe(expected);
    expect(seen.events).toEqual([`Unavailable: BackupStorageLocation "default" is unavailable: ${expected}`]);
    expect(seen.server.asked).toBe(tries);
    check?.(seen);
  });
});
