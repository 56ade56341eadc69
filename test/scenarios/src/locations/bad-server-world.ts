import { generateKeyPairSync } from 'node:crypto';
import type { LookupFunction } from 'node:net';
import { type BackupStorageLocation, backupStorageLocationType, eventType, secretType } from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';
import { eventRecorder } from '@lateen/kube-runtime';
import { promptAnswerMs, runLocationControllers, validationTimeoutMs } from '@lateen/locations';
import { retryBudget, retryingStore } from '@lateen/object-store';
import { azureStore } from '@lateen/object-store-azure';
import { gcsStore } from '@lateen/object-store-gcs';
import { s3Store } from '@lateen/object-store-s3';
import { type OpenStore, openStoreBy } from '@lateen/storage-location';
import { aBackupStorageLocation, aSecret, FakeClock, fakeCluster, recordingLog, seededRandom } from '@lateen/testing';
import { expect, onTestFinished } from 'vitest';
import { answers, type BadServer, type Behaviour, badServer } from './bad-server.ts';
import type { MadeCertificate } from './bad-server-certificates.ts';

export type Provider = 'aws' | 'azure' | 'gcp';
export const providers: readonly Provider[] = ['aws', 'azure', 'gcp'];

/** Values of Secrets and of tokens; none of them may appear in any output. */
export const secrets = {
  secretKey: 'aws+SECRET/value0123456789',
  sessionToken: 'session/SECRET+token==',
  accountKey: Buffer.from('the account key SECRET of Azure').toString('base64'),
  clientSecret: 'client~SECRET~of~Azure',
  accessToken: 'ya29.access-SECRET-token',
};
const googleKeys = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

export interface World {
  provider: Provider;
  behaviour: Behaviour;
  /** The address has the scheme https, whether the server speaks TLS or not. */
  https?: boolean;
  /** The server speaks TLS. */
  tls?: MadeCertificate;
  /** PEM, for the location's caCert. */
  caCert?: string;
  /** The token service: always for Google, for Azure only when this is set. Default: a working one. */
  tokens?: Behaviour;
  config?: Record<string, string>;
  prefix?: string;
  /** Resolves host names for Azure, in place of loopback. */
  lookup?: LookupFunction;
  /** Advance the clock by the whole validation timeout. */
  hangs?: boolean;
}

export interface Seen {
  /** The text after `BackupStorageLocation "default" is unavailable: `; "" when it is available. Ports are written PORT, TOKENPORT. */
  message: string;
  /** In the same form as `message`. */
  events: string[];
  server: BadServer;
  tokenServer: BadServer;
  /** Waits between the tries of a call, in ms. */
  waits: number[];
}

/** The words in which the messages of the three providers differ. Each row of the tables is checked for all of them. */
const wordsOf: Record<Provider, Record<string, string>> = {
  aws: {
    kind: 'bucket',
    place: 'bucket "backups" at 127.0.0.1:PORT',
    host: '127.0.0.1:PORT',
    setting: 'config.s3Url',
    notIt: 'Check that config.s3Url is the address of an S3 service, not of its web page or of a proxy.',
  },
  azure: {
    kind: 'container',
    place: 'container "backups" at acct.store.test:PORT',
    host: 'acct.store.test:PORT',
    setting: 'config.storageAccountURI',
    notIt:
      'Check that config.storageAccountURI is the address of Azure Blob Storage, not of its web page or of a proxy.',
  },
  gcp: {
    kind: 'bucket',
    place: 'bucket "backups" at 127.0.0.1:PORT',
    host: '127.0.0.1:PORT',
    setting: '',
    notIt: 'Check what stands between the cluster and Google Cloud Storage: something else answers in its place.',
  },
};

/**
 * The message of a row with the words of a provider: `{place}` and the like. A record has a message of its own for Google, which has no
 * setting.
 */
export function inWordsOf(provider: Provider, message: string | { gcp: string; others: string }): string {
  const text = typeof message === 'string' ? message : provider === 'gcp' ? message.gcp : message.others;
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => wordsOf[provider][name] ?? whole);
}

const startsWith = 'BackupStorageLocation "default" is unavailable: ';

/** Validates a location on a misbehaving server, with the controller and the stores as the app composes them. */
export async function validated(world: World): Promise<Seen> {
  const granted = JSON.stringify({ access_token: secrets.accessToken, expires_in: 3600, token_type: 'Bearer' });
  const server = await badServer(world.behaviour, world.tls);
  const tokenServer = await badServer(world.tokens ?? answers(200, granted));
  const clock = new FakeClock();
  const { location, secret } = subjectOf(world, server, tokenServer);
  const cluster = fakeCluster({ clock, objects: [location, secret] });
  const log = recordingLog();
  const status = () => cluster.find(backupStorageLocationType, { namespace: 'velero', name: 'default' })?.status;
  const written = new Promise<void>((resolve) => {
    cluster.onChange(() => {
      if (status()?.lastValidationTime !== undefined) resolve();
    });
  });
  const stop = new AbortController();
  const waits: number[] = [];
  const events = eventRecorder({
    api: cluster,
    component: 'lateen-controller',
    host: 'controller-0',
    ...{ clock, random: seededRandom(3), log },
  });
  const done = runLocationControllers(
    {
      kube: cluster,
      namespace: 'velero',
      ...{ clock, random: seededRandom(3), log },
      // No credential in these tests may ask for an account key.
      ...{ listAccountKey: () => Promise.reject(new Error('no account key is asked for')) },
      openStore: storesOf(world, { clock, waits, port: server.port }),
      openRepository: () => Promise.reject(new Error('these tests have no repositories')),
      defaultLocation: '',
      tell: (subject, reason, message, type) => events.record(subject, reason, message, { type }),
    },
    stop.signal,
  );
  onTestFinished(async () => {
    stop.abort(new Error('the test ends'));
    await done;
  });
  if (world.hangs === true) await bePatient(clock, server);
  await written;
  await cluster.settle();
  const others = cluster.everything().filter(({ kind }) => kind !== secretType.kind);
  expectNoSecrets([others, cluster.calls.map(({ body }) => body), log.lines]);
  const masked = (text: string) =>
    text.replaceAll(`:${server.port}`, ':PORT').replaceAll(`:${tokenServer.port}`, ':TOKENPORT');
  const said = status()?.phase === 'Available' ? '' : masked(status()?.message ?? '');
  return {
    message: said.startsWith(startsWith) ? said.slice(startsWith.length) : said,
    events: cluster.all(eventType).map(({ reason, message }) => masked(`${reason}: ${message}`)),
    ...{ server, tokenServer, waits },
  };
}

/** Advances the clock first by the short and then by the long timeout; each time after the request has arrived. */
async function bePatient(clock: FakeClock, server: BadServer): Promise<void> {
  await server.wasAsked(1);
  await clock.advance(promptAnswerMs);
  await server.wasAsked(2);
  await clock.advance(validationTimeoutMs);
}

/** Stores as apps/controller opens them, except that Google and Azure are on loopback, and that no time passes between tries. */
function storesOf(
  { https = false, lookup = toLoopback }: World,
  { clock, waits, port }: { clock: FakeClock; waits: number[]; port: number },
): OpenStore {
  const quick: Clock = {
    now: () => clock.now(),
    monotonicMs: () => clock.monotonicMs(),
    deadline: (ms) => clock.deadline(ms),
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      waits.push(ms);
    },
  };
  const endpoint = `${https ? 'https' : 'http'}://127.0.0.1:${port}`;
  const open = openStoreBy({
    s3: ({ credentials, ...location }) => {
      if ('identity' in credentials) throw new Error('these tests have keys');
      return s3Store({ ...location, credentials }, {}, { clock });
    },
    azure: async (location) => azureStore(location, { clock, lookup }),
    gcp: async (location) => gcsStore({ ...location, endpoint }, { clock }),
  });
  const budget = retryBudget();
  return (location) => retryingStore(open(location), { clock: quick, random: seededRandom(7), budget });
}

const toLoopback = ((_name: string, options: { all?: boolean }, done: (...answer: unknown[]) => void) =>
  options.all === true
    ? done(null, [{ address: '127.0.0.1', family: 4 }])
    : done(null, '127.0.0.1', 4)) as LookupFunction;

function subjectOf(world: World, server: BadServer, tokenServer: BadServer) {
  const { provider, caCert, prefix, config = {}, tokens } = world;
  const scheme = world.https === true ? 'https' : 'http';
  const tokenUrl = `http://127.0.0.1:${tokenServer.port}`;
  const own: Record<Provider, { config: Record<string, string>; cloud: string }> = {
    aws: {
      config: { region: 'eu-1', s3Url: `${scheme}://127.0.0.1:${server.port}`, s3ForcePathStyle: 'true' },
      cloud: `[default]\naws_access_key_id=AKIA0TEST\naws_secret_access_key=${secrets.secretKey}\naws_session_token=${secrets.sessionToken}\n`,
    },
    azure: {
      config: { storageAccount: 'acct', storageAccountURI: `${scheme}://acct.store.test:${server.port}` },
      cloud: `AZURE_STORAGE_ACCOUNT_ACCESS_KEY=${secrets.accountKey}\n`,
    },
    gcp: {
      config: {},
      cloud: JSON.stringify({
        type: 'service_account',
        client_email: 'backups@project.test',
        private_key: googleKeys.privateKey,
        token_uri: `${tokenUrl}/token`,
      }),
    },
  };
  if (tokens !== undefined && provider === 'azure') {
    const storageAccountURI = `${scheme}://acct.blob.core.windows.net:${server.port}`;
    Object.assign(own.azure.config, { activeDirectoryAuthorityURI: tokenUrl, useAAD: 'true', storageAccountURI });
    own.azure.cloud = `AZURE_TENANT_ID=tenant-1\nAZURE_CLIENT_ID=client-1\nAZURE_CLIENT_SECRET=${secrets.clientSecret}\nAZURE_AUTHORITY_HOST=${tokenUrl}\n`;
  }
  const spec: Partial<BackupStorageLocation['spec']> = {
    provider,
    config: { ...own[provider].config, ...config },
    objectStorage: {
      bucket: 'backups',
      ...(prefix === undefined ? {} : { prefix }),
      ...(caCert === undefined ? {} : { caCert: Buffer.from(caCert).toString('base64') }),
    },
  };
  return {
    location: aBackupStorageLocation({ name: 'default', phase: undefined, spec }),
    secret: aSecret({ name: 'cloud-credentials', namespace: 'velero', values: { cloud: own[provider].cloud } }),
  };
}

/** Secrets must appear neither whole nor line by line. */
function expectNoSecrets(everything: unknown[]): void {
  const text = JSON.stringify(everything);
  const lines = googleKeys.privateKey.split('\n').filter((line) => line.length > 20 && !line.startsWith('-----'));
  for (const secret of [...Object.values(secrets), ...lines]) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(JSON.stringify(secret).slice(1, -1));
  }
}
