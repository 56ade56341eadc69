import type { BackupStorageLocation } from '@lateen/api-types';
import { aSecret } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { aLocation, cloudSecret, goodKeys, locationWorld, namespace, secretValue } from './location-world.ts';

type Spec = BackupStorageLocation['spec'];
type Secret = ReturnType<typeof aSecret>;

interface BadLocation {
  name: string;
  spec?: Partial<Spec>;
  annotations?: Record<string, string>;
  /** Used in place of the installation's Secret with good keys. */
  secrets?: Secret[];
  /** The text after `BackupStorageLocation "default" is unavailable: `. */
  message: string;
}

const storage = (objectStorage: Partial<Spec['objectStorage']>): Partial<Spec> => ({
  objectStorage: { bucket: 'backups', ...objectStorage },
});
const config = (entries: Record<string, string>): Partial<Spec> => ({ config: { region: 'r', ...entries } });
const customerKey = (customerKeyEncryptionSecret: string, more: Record<string, string> = {}) =>
  config({ s3Url: 'https://s3.test:9000', customerKeyEncryptionSecret, ...more });
const keyForm = 'Put the key itself there, not as hex or base64 and without a line break at its end.';
const upload = (rate: string) => ({ 'lateen.dev/upload-bytes-per-second': rate });
const download = (rate: string) => ({ 'lateen.dev/download-bytes-per-second': rate });
const rateForm = 'Write bytes per second as a quantity, such as 10Mi or 5000000, or remove the annotation.';
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const tornPem = '-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIU\n-----END CERTIFICATE-----\n';

/** Mistakes that the custom resource definition accepts; those that it rejects are in test/api/src/bad-locations.test.ts. */
const rows: BadLocation[] = [
  {
    name: 'an unknown provider',
    spec: { provider: 'dropbox', config: {} },
    message:
      'provider "dropbox" is not supported. Use "aws", "azure", "gcp" or "velero.io/fs"; any other provider has to speak S3 at the address in config.s3Url.',
  },
  {
    name: 'an empty provider',
    spec: { provider: '', config: {} },
    message: 'spec.provider is empty. Write "aws", "azure", "gcp" or "velero.io/fs".',
  },
  {
    name: 'a line break in the provider',
    spec: { provider: 'aws\n' },
    message:
      'spec.provider holds the control character U+000A at position 4. Remove it: it may be a line break at the end of a text.',
  },
  {
    name: 'an empty bucket',
    spec: storage({ bucket: '' }),
    message: 'spec.objectStorage.bucket is empty. Name the bucket.',
  },
  {
    name: 'a bucket of slashes',
    spec: storage({ bucket: '//' }),
    message: 'spec.objectStorage.bucket is empty. Name the bucket.',
  },
  {
    name: 'a bucket with a path',
    spec: storage({ bucket: 'backups/cluster-1' }),
    message:
      "backup storage location's bucket name \"backups/cluster-1\" must not contain a '/' (if using a prefix, put it in the 'Prefix' field instead)",
  },
  {
    name: 'a bucket with a line break at its end',
    spec: storage({ bucket: 'backups\n' }),
    message:
      'spec.objectStorage.bucket holds the control character U+000A at position 8. Remove it: it may be a line break at the end of a text.',
  },
  {
    name: 'a huge bucket',
    spec: storage({ bucket: 'b'.repeat(1_000_000) }),
    message: 'spec.objectStorage.bucket has 1000000 characters; at most 1024 are possible',
  },
  {
    name: 'a region that leads elsewhere',
    spec: { config: { region: 'x.evil.invalid/?' } },
    secrets: [cloudSecret('[default]\nrole_arn=arn:aws:iam::1:role/r\nweb_identity_token_file=/var/run/t\n')],
    message: 'config.region "x.evil.invalid/?" is not a region. Write its name alone, such as eu-west-1.',
  },
  {
    name: 'a Secret whose name leads elsewhere',
    spec: { credential: { name: '../configmaps/x', key: 'cloud' } },
    message: 'spec.credential.name "../configmaps/x" is not the name of a Secret',
  },
  {
    name: 'a prefix with a zero byte',
    spec: storage({ prefix: 'a\u0000b' }),
    message: 'spec.objectStorage.prefix "a\\u0000b" cannot be used: it has a control character. Leave that out.',
  },
  {
    name: 'a prefix with a line break',
    spec: storage({ prefix: 'cluster-1\n' }),
    message: 'spec.objectStorage.prefix "cluster-1\\n" cannot be used: it has a control character. Leave that out.',
  },
  {
    name: 'a prefix that steps up',
    spec: storage({ prefix: 'a/../../other' }),
    message: 'spec.objectStorage.prefix "a/../../other" cannot be used: it has the part "..". Leave that out.',
  },
  {
    name: 'a prefix of a dot',
    spec: storage({ prefix: './a' }),
    message: 'spec.objectStorage.prefix "./a" cannot be used: it has the part ".". Leave that out.',
  },
  {
    name: 'a huge prefix',
    spec: storage({ prefix: 'ü'.repeat(300) }),
    message:
      'spec.objectStorage.prefix has 600 bytes; at most 512 are possible. The keys of backups have to fit in behind it.',
  },
  {
    name: 'a Secret that does not exist',
    spec: { credential: { name: 'mine', key: 'cloud' } },
    message:
      'Secret velero/mine with the keys of BackupStorageLocation default does not exist. Create it with key cloud.',
  },
  {
    name: 'no Secret of the installation either',
    secrets: [],
    message:
      'Secret velero/cloud-credentials with the keys of BackupStorageLocation default does not exist. Create it with key cloud.',
  },
  {
    name: 'a Secret that exists in another namespace only',
    spec: { credential: { name: 'mine', key: 'cloud' } },
    secrets: [aSecret({ name: 'mine', namespace: 'default', values: { cloud: goodKeys } })],
    message:
      'Secret velero/mine with the keys of BackupStorageLocation default does not exist. Create it with key cloud.',
  },
  {
    name: 'a Secret without the key',
    spec: { credential: { name: 'mine', key: 'aws' } },
    secrets: [cloudSecret(goodKeys, 'mine')],
    message: 'Secret velero/mine with the keys of BackupStorageLocation default has no key aws. Add the key aws to it.',
  },
  {
    name: 'a Secret of which no key is named',
    spec: { credential: { name: 'mine', key: '' } },
    message: 'spec.credential.key is empty. Name the key.',
  },
  {
    name: 'a Secret with an empty value',
    secrets: [cloudSecret('')],
    message:
      'Secret velero/cloud-credentials key cloud has no profile "default". Add the profile, or name another one in spec.config.profile.',
  },
  {
    name: 'a Secret with something else in it',
    secrets: [cloudSecret(`{"password":"${secretValue}"}`)],
    message:
      'Secret velero/cloud-credentials key cloud has no profile "default". Add the profile, or name another one in spec.config.profile.',
  },
  {
    name: 'a Secret with half of the keys',
    secrets: [cloudSecret(`[default]\naws_secret_access_key=${secretValue}\n`)],
    message:
      'Secret velero/cloud-credentials key cloud has no aws_access_key_id in profile "default". Add aws_access_key_id to that profile.',
  },
  {
    name: 'a profile that is not in the Secret',
    spec: config({ profile: 'prod' }),
    message:
      'Secret velero/cloud-credentials key cloud has no profile "prod". Add the profile, or name another one in spec.config.profile.',
  },
  {
    name: 'both kinds of CA',
    spec: storage({ caCert: base64(tornPem), caCertRef: { name: 'ca', key: 'ca.crt' } }),
    message: 'cannot specify both caCert and caCertRef in objectStorage',
  },
  {
    name: 'a CA that is not PEM',
    spec: storage({ caCert: base64('hello') }),
    message:
      'the CA certificate of objectStorage cannot be used: it holds no PEM certificate. Give one or more whole PEM certificates.',
  },
  {
    name: 'a CA that is torn',
    spec: storage({ caCert: base64(tornPem) }),
    message:
      'the CA certificate of objectStorage cannot be used: certificate 1 in it cannot be read. Give one or more whole PEM certificates.',
  },
  {
    name: 'a CA in a Secret that does not exist',
    spec: storage({ caCertRef: { name: 'ca', key: 'ca.crt' } }),
    message: 'Secret velero/ca with the CA certificate does not exist. Create it with key ca.crt.',
  },
  {
    name: 'a CA in a Secret without the key',
    spec: storage({ caCertRef: { name: 'ca', key: 'ca.crt' } }),
    secrets: [cloudSecret(), aSecret({ name: 'ca', namespace, values: { other: 'x' } })],
    message: 'Secret velero/ca with the CA certificate has no key ca.crt. Add the key ca.crt to it.',
  },
  {
    name: 'a CA of which no Secret is named',
    spec: storage({ caCertRef: { name: '', key: 'ca.crt' } }),
    message: 'spec.objectStorage.caCertRef.name is empty. Name the Secret and its key.',
  },
  {
    name: 'an s3Url with a path',
    spec: config({ s3Url: 'http://s3.test:9000/backups' }),
    message: 'config.s3Url "http://s3.test:9000/backups" has a path. Leave only scheme, host and port.',
  },
  {
    name: 'an s3Url with a query',
    spec: config({ s3Url: 'http://s3.test:9000?x=1' }),
    message: 'config.s3Url "http://s3.test:9000?x=1" has a path. Leave only scheme, host and port.',
  },
  {
    name: 'an s3Url of another scheme',
    spec: config({ s3Url: 'ftp://s3.test' }),
    message: 'config.s3Url "ftp://s3.test" is not an http or https address. Write it as https://host[:port].',
  },
  {
    name: 'an s3Url that is none',
    spec: config({ s3Url: 'http://' }),
    message: 'config.s3Url "http://" is not an http or https address. Write it as https://host[:port].',
  },
  {
    name: 'an s3Url with keys',
    spec: config({ s3Url: `http://user:${secretValue}@s3.test` }),
    message: 'config.s3Url holds credentials. Move them into the Secret of spec.credential.',
  },
  {
    name: 'an s3Url with keys and a path',
    spec: config({ s3Url: `http://user:${secretValue}@s3.test/backups` }),
    message: 'config.s3Url holds credentials. Move them into the Secret of spec.credential.',
  },
  {
    name: 'an s3Url with a port that is none',
    spec: config({ s3Url: 'http://s3.test:99999' }),
    message: 'config.s3Url "http://s3.test:99999" is not an http or https address. Write it as https://host[:port].',
  },
  {
    name: 'a config entry twice, in two spellings',
    spec: config({ s3Url: 'http://s3.test', s3url: 'http://other.test' }),
    message: 'spec.config has both "s3Url" and "s3url". Keep the one that is spelled as in the documentation.',
  },
  {
    name: 'a tab in a config value',
    spec: config({ s3Url: 'http://s3.test\t' }),
    message:
      'spec.config.s3Url holds the control character U+0009 at position 15. Remove it: it may be a line break at the end of a text.',
  },
  {
    name: 'a line break in the name of a config entry',
    spec: config({ 's3Url\n': 'http://s3.test' }),
    message:
      'the name of a spec.config entry, "s3Url\\n" holds the control character U+000A at position 6. Remove it: it may be a line break at the end of a text.',
  },
  {
    name: 'a huge config value',
    spec: config({ kmsKeyId: 'k'.repeat(500_000) }),
    message: 'spec.config entry "kmsKeyId" has 500008 characters; at most 4096 are possible',
  },
  {
    name: 'a config key in another spelling',
    spec: { provider: 'gcp', config: { servicaccount: 'me', 'kms-key-name': 'k' } },
    secrets: [aSecret({ name: 'cloud-credentials', namespace, values: { cloud: '{"type":"external_account"}' } })],
    message:
      'config has invalid keys [kms-key-name servicaccount]; valid keys are [kmsKeyName serviceAccount]. Write kmsKeyName.',
  },
  {
    name: 'a config key of another provider',
    spec: { provider: 'fs', config: { fspath: '/backups', region: 'r' } },
    message: 'config has invalid keys [region]; valid keys are [fspath]. Remove them from spec.config.',
  },
  {
    name: 'a switch that is neither on nor off',
    spec: config({ insecureSkipTLSVerify: 'yes' }),
    message: 'config.insecureSkipTLSVerify "yes" is not a boolean. Write "true" or "false".',
  },
  {
    name: 'a directory that is not named',
    spec: { provider: 'velero.io/fs', config: {} },
    message: 'config.fspath is missing. Name the directory; every pod of Lateen has to mount it there.',
  },
  {
    name: 'a directory with steps up',
    spec: { provider: 'velero.io/fs', config: { fspath: '/backups/../etc' } },
    message: 'config.fspath "/backups/../etc" is not an absolute path without "." and ".."',
  },
  {
    name: 'an Azure location without its account',
    spec: { provider: 'azure', config: {} },
    message: 'config.storageAccount is missing. Name the storage account.',
  },
  {
    name: 'a Google location with the keys of AWS',
    spec: { provider: 'gcp', config: {} },
    message:
      'Secret velero/cloud-credentials key cloud is not JSON. Put the JSON key file of a service account there, as Google gives it.',
  },
  {
    name: 'a customer key in a Secret that is named without its key',
    spec: customerKey('sse'),
    message:
      'config.customerKeyEncryptionSecret is not of the form name/key. Name a Secret of this namespace and the key in it that holds the 32 bytes.',
  },
  {
    name: 'a customer key in a Secret of another namespace',
    spec: customerKey('other/sse/key'),
    message:
      'config.customerKeyEncryptionSecret is not of the form name/key. Name a Secret of this namespace and the key in it that holds the 32 bytes.',
  },
  {
    name: 'a customer key in a Secret that does not exist',
    spec: customerKey('sse/key'),
    message:
      'Secret velero/sse with the SSE-C key of BackupStorageLocation default does not exist. Create it with key key.',
  },
  {
    name: 'a customer key in a Secret without the key',
    spec: customerKey('sse/key'),
    secrets: [cloudSecret(), aSecret({ name: 'sse', namespace, values: { other: secretValue } })],
    message:
      'Secret velero/sse with the SSE-C key of BackupStorageLocation default has no key key. Add the key key to it.',
  },
  {
    name: 'a customer key that is too short',
    spec: customerKey('sse/key'),
    secrets: [cloudSecret(), aSecret({ name: 'sse', namespace, values: { key: secretValue } })],
    message: `Secret velero/sse key key has 18 bytes; an SSE-C key has 32. ${keyForm}`,
  },
  {
    name: 'a customer key with a line break at its end',
    spec: customerKey('sse/key'),
    secrets: [cloudSecret(), aSecret({ name: 'sse', namespace, values: { key: `${secretValue.padEnd(32, 'x')}\n` } })],
    message: `Secret velero/sse key key has 33 bytes; an SSE-C key has 32. ${keyForm}`,
  },
  {
    name: 'a customer key and one of the key management',
    spec: customerKey('sse/key', { kmsKeyId: 'alias/x' }),
    message:
      'you can only use one of: kmsKeyId, customerKeyEncryptionFile, or customerKeyEncryptionSecret. Remove the others from spec.config.',
  },
  {
    name: 'two customer keys',
    spec: customerKey('sse/key', { customerKeyEncryptionFile: '/key' }),
    message:
      'you can only use one of: kmsKeyId, customerKeyEncryptionFile, or customerKeyEncryptionSecret. Remove the others from spec.config.',
  },
  {
    name: 'a customer key over http',
    spec: customerKey('sse/key', { s3Url: 'http://s3.test:9000' }),
    secrets: [cloudSecret(), aSecret({ name: 'sse', namespace, values: { key: secretValue.padEnd(32, 'x') } })],
    message:
      'a customer key is only sent over https, and config.s3Url "http://s3.test:9000" is an http address. Use an address with https, or no customer key.',
  },
  {
    name: 'a customer key beside encryption by the store',
    spec: customerKey('sse/key', { serverSideEncryption: 'AES256' }),
    message: 'a customer key cannot be combined with config.serverSideEncryption. Remove one of them from spec.config.',
  },
  {
    name: 'a rate with a unit of its own',
    annotations: upload('10 MB/s'),
    message: `annotation lateen.dev/upload-bytes-per-second "10 MB/s" is not a quantity. ${rateForm}`,
  },
  {
    name: 'an empty rate',
    annotations: download(''),
    message: `annotation lateen.dev/download-bytes-per-second "" is not a quantity. ${rateForm}`,
  },
  {
    name: 'a rate of nothing',
    annotations: { ...upload('10Mi'), ...download('0') },
    message: `annotation lateen.dev/download-bytes-per-second "0" is not above 0. ${rateForm}`,
  },
  {
    name: 'a rate below nothing',
    annotations: upload('-1Mi'),
    message: `annotation lateen.dev/upload-bytes-per-second "-1Mi" is not above 0. ${rateForm}`,
  },
  {
    name: 'a rate of thousandths, where millions were meant',
    annotations: upload('10m'),
    message: `annotation lateen.dev/upload-bytes-per-second "10m" is less than 1Ki. ${rateForm}`,
  },
  {
    name: 'a huge rate',
    annotations: download('1e999'),
    message: `annotation lateen.dev/download-bytes-per-second "1e999" is more than 1Pi. ${rateForm}`,
  },
  {
    name: 'a huge text for a rate',
    annotations: upload(`1\n${'0'.repeat(100_000)}`),
    message: `annotation lateen.dev/upload-bytes-per-second "1\\n${'0'.repeat(38)}…" is not a quantity. ${rateForm}`,
  },
];

const located = (name: string, { spec = {}, annotations }: Pick<BadLocation, 'spec' | 'annotations'>) => {
  const location = aLocation(name, spec);
  if (annotations !== undefined) location.metadata.annotations = annotations;
  return location;
};

describe('a misconfigured location', () => {
  it.each(rows)('reports the cause: $name', async ({ secrets = [cloudSecret()], message, ...wrong }) => {
    const world = locationWorld(...secrets, located('default', wrong));
    await world.start();
    expect(world.status()).toEqual({
      phase: 'Unavailable',
      message: `BackupStorageLocation "default" is unavailable: ${message}`,
      lastValidationTime: '2030-01-01T00:00:00Z',
    });
    expect(world.events()).toEqual([`Unavailable: BackupStorageLocation "default" is unavailable: ${message}`]);
    expect(world.validations).toEqual([]);
  });

  it('reports a missing spec, and does not delay others', async () => {
    const { spec: _, ...rest } = aLocation('none');
    const world = locationWorld(cloudSecret(), rest as BackupStorageLocation, aLocation('default'));
    await world.start();
    await world.clock.advance(60_000);
    expect(world.status('none')?.message).toBe(
      'BackupStorageLocation "none" is unavailable: spec.provider is empty. Write "aws", "azure", "gcp" or "velero.io/fs".',
    );
    expect(world.status()?.phase).toBe('Available');
    expect(world.location()?.spec.default).toBe(true);
  });

  it('reports when its Secret may not be read', async () => {
    const world = locationWorld(cloudSecret(), aLocation());
    world.cluster.failTimes(100, 'get', ({ type }) => type.resource === 'secrets', 'KUBE_FORBIDDEN');
    await world.start();
    expect(world.status()?.message).toBe(
      'BackupStorageLocation "default" is unavailable: injected by the test: KUBE_FORBIDDEN',
    );
  });

  it('affects no other and is not retried in a loop', async () => {
    const bad = rows.map((wrong, index) =>
      located(`bad-${index}`, { ...wrong, spec: { ...wrong.spec, credential: { name: 'no', key: 'k' } } }),
    );
    const world = locationWorld(cloudSecret(), ...bad, aLocation('good'));
    await world.start();
    await world.clock.advance(60_000);
    expect(world.status('good')?.phase).toBe('Available');
    // Once at the start and then each 15 s: never more than six times, whatever is wrong.
    const patches = world.calls().filter((call) => call === 'patch backupstoragelocations').length;
    expect(patches).toBeLessThanOrEqual(6 * (bad.length + 1));
  });

  it.each<[string, Partial<Spec>]>([
    ['a prefix between slashes', storage({ prefix: '/a//b/' })],
    ['a bucket between slashes', storage({ bucket: '/backups/' })],
    ['a prefix with two dots in a name', storage({ prefix: 'a..b/c' })],
    ['the ARN of an access point', storage({ bucket: 'arn:aws:s3:us-east-1:123456789012:accesspoint/backups' })],
    ['an s3Url without a scheme', config({ s3Url: 's3.test:9000' })],
    ['an s3Url with a slash at its end', config({ s3Url: 'http://s3.test:9000/' })],
    ['no region', { config: { s3Url: 'http://s3.test' } }],
    ['no config at all', { config: {} }],
    [
      'a provider of somebody else that speaks S3',
      { provider: 'example.com/store', config: { s3Url: 'http://s3.test', network: 'internal' } },
    ],
    [
      'entries of config that are known and have no effect',
      config({ signatureVersion: '4', enableSharedConfig: 'true' }),
    ],
  ])('is not reported for %s', async (_, spec) => {
    const world = locationWorld(cloudSecret(), aLocation('default', spec));
    await world.start();
    expect(world.status()).toMatchObject({ phase: 'Available', message: '' });
  });
});
