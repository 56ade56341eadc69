import { describe, expect, it } from 'vitest';
import { answers, type Behaviour } from './bad-server.ts';
import { type MadeCertificate, newAuthority, selfSigned } from './bad-server-certificates.ts';
import { inWordsOf, providers, validated } from './bad-server-world.ts';

/** The whole message of a location when TLS fails, for all three providers. */
interface Row {
  name: string;
  tls?: MadeCertificate;
  caCert?: string;
  behaviour?: Behaviour;
  /** The address has the scheme http. */
  http?: boolean;
  message: string | { gcp: string; others: string };
  tries: number;
}

const names = ['127.0.0.1', 'acct.store.test'];
const ours = newAuthority('Authority of a test');
const another = newAuthority('Another one');
const give = 'Give the certificate of its authority in objectStorage.caCertRef.';
const renew = 'Renew the certificate of the object store, and check the clock of the node.';
const httpOrHttps = {
  gcp: 'Check the network between the cluster and the object store.',
  others: 'Check http or https, and the port, in {setting}.',
};

const rows: Row[] = [
  {
    name: 'signs its certificate itself',
    tls: selfSigned({ names }),
    message: `{store} cannot be reached: its certificate is not trusted: self-signed certificate. ${give}`,
    tries: 1,
  },
  {
    name: 'has a certificate of an authority that nobody named',
    tls: ours.issue({ names }),
    message: `{store} cannot be reached: its certificate is not trusted: unable to verify the first certificate. ${give}`,
    tries: 1,
  },
  {
    name: 'has a certificate of another authority than was named',
    tls: ours.issue({ names }),
    caCert: another.cert,
    message: `{store} cannot be reached: its certificate is not trusted: unable to verify the first certificate. ${give}`,
    tries: 1,
  },
  {
    name: 'has a certificate that has expired',
    tls: ours.issue({ names, until: '210101000000' }),
    caCert: ours.cert,
    message: `{store} cannot be reached: its certificate has expired. ${renew}`,
    tries: 1,
  },
  {
    name: 'has a certificate of the future',
    tls: ours.issue({ names, from: '480101000000' }),
    caCert: ours.cert,
    message: `{store} cannot be reached: its certificate is not valid yet: certificate is not yet valid. ${renew}`,
    tries: 1,
  },
  {
    name: 'has a certificate for another name',
    tls: ours.issue({ names: ['other.example'] }),
    caCert: ours.cert,
    message: {
      gcp: '{store} cannot be reached: its certificate is for another name: {altname}. Check what stands between the cluster and the object store: something else answers in its place.',
      others:
        '{store} cannot be reached: its certificate is for another name: {altname}. Use a name that is in the certificate as host in {setting}.',
    },
    tries: 1,
  },
  {
    name: 'speaks no TLS',
    behaviour: answers(200, 'x'),
    message: {
      gcp: `{store} cannot be reached: it does not speak TLS: {openssl}. ${httpOrHttps.gcp}`,
      others: `{store} cannot be reached: it does not speak TLS: {openssl}. ${httpOrHttps.others}`,
    },
    tries: 0,
  },
  {
    name: 'speaks only TLS',
    tls: ours.issue({ names }),
    http: true,
    message: {
      gcp: '{plainStore} cannot be reached: the connection was lost: other side closed. Check the network between the cluster and the object store.',
      others:
        '{plainStore} cannot be reached: the connection was lost: other side closed. Check the network between the cluster and the object store, and whether {setting} needs https.',
    },
    tries: 5,
  },
  {
    name: 'breaks the handshake off',
    behaviour: { raw: (socket) => void socket.once('data', () => socket.end()) },
    message: {
      gcp: '{store} cannot be reached: the connection was lost: {handshake}. Check the network between the cluster and the object store.',
      others:
        '{store} cannot be reached: the connection was lost: {handshake}. Check {setting} and the network between the cluster and the object store.',
    },
    tries: 5,
  },
  {
    name: 'refuses the handshake',
    // An alert: handshake_failure (RFC 8446, section 6.2).
    behaviour: { raw: (socket) => void socket.once('data', () => socket.end(Buffer.from('15030100020228', 'hex'))) },
    message:
      '{store} cannot be reached: the TLS handshake fails: {alert}. Check which versions of TLS, and which certificates of clients, the object store asks for.',
    tries: 1,
  },
];

const hosts = { aws: '127.0.0.1:PORT', azure: 'acct.store.test:PORT', gcp: '127.0.0.1:PORT' };
const altnames = {
  aws: "Hostname/IP does not match certificate's altnames: IP: 127.0.0.1 is not in the cert's list: ",
  azure:
    "Hostname/IP does not match certificate's altnames: Host: acct.store.test. is not in the cert's altnames: DNS:other.example",
  gcp: "Hostname/IP does not match certificate's altnames: IP: 127.0.0.1 is not in the cert's list: ",
};
const cases = rows.flatMap((row) => providers.map((provider) => ({ ...row, provider })));

describe('a location whose server', () => {
  it.each(cases)('$name, $provider', async ({ provider, behaviour, http = false, message, tries, tls, caCert }) => {
    const seen = await validated({
      provider,
      behaviour: behaviour ?? answers(200, 'x'),
      https: !http,
      ...(tls === undefined ? {} : { tls }),
      ...(caCert === undefined ? {} : { caCert }),
    });
    const words: Record<string, string> = {
      store: `object store https://${hosts[provider]}`,
      plainStore: `object store http://${hosts[provider]}`,
      altname: altnames[provider].trim(),
      openssl: 'wrong version number',
      handshake: 'Client network socket disconnected before secure TLS connection was established',
      alert: 'ssl/tls alert handshake failure',
    };
    const text = typeof message === 'string' ? message : provider === 'gcp' ? message.gcp : message.others;
    const expected = inWordsOf(
      provider,
      text.replace(/\{(\w+)\}/g, (whole, name: string) => words[name] ?? whole),
    );
    expect(seen.message).toBe(expected);
    expect(seen.events).toEqual([`Unavailable: BackupStorageLocation "default" is unavailable: ${expected}`]);
    expect(seen.server.asked).toBe(tries);
  });

  it.each(providers)('is trusted when caCert has its certificate authority: %s', async (provider) => {
    const tls = ours.issue({ names });
    const seen = await validated({ provider, behaviour: answers(418), https: true, tls, caCert: ours.cert });
    expect(seen.message).toMatch(/answers HTTP 418/);
  });
});
