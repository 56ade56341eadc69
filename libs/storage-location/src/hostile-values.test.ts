import type { BackupStorageLocation } from '@lateen/api-types';
import { describeError } from '@lateen/errors';
import { aBackupStorageLocation, aSecret, FakeClock, fakeCluster, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import type { ListAccountKey } from './azure/azure-account-key.ts';
import { knownConfigKeys } from './check/config-keys.ts';
import { readLocation } from './read-location.ts';

type Spec = Partial<BackupStorageLocation['spec']>;

/**
 * A hostile value that a location or its Secret contains, and what it becomes part of. Whoever may write locations or Secrets
 * must not obtain a key or token of another user, and must not redirect a path or a command.
 */
interface Row {
  value: string;
  goesInto: string;
  spec: Spec;
  /** The content of the location's Secret. */
  cloud?: string;
  annotations?: Record<string, string>;
  /** The result, or what it begins or ends with; undefined: the value has no effect and the location is read without it. */
  says: RegExp | undefined;
}

const keys = '[default]\naws_access_key_id=A\naws_secret_access_key=KEEP-SECRET\n';
const role = '[default]\nrole_arn=arn:aws:iam::1:role/r\nweb_identity_token_file=/var/run/t\n';
const accountKey = 'AZURE_STORAGE_ACCOUNT_ACCESS_KEY=a2V5\n';
const principal = 'AZURE_TENANT_ID=t\nAZURE_CLIENT_ID=c\n';
const withSecret = `${principal}AZURE_CLIENT_SECRET=KEEP-SECRET\n`;
const s3 = (config: Record<string, string>): Spec => ({ config: { s3Url: 'https://s3.test', ...config } });
const aws = (config: Record<string, string>): Spec => ({ config });
const azure = (config: Record<string, string>): Spec => ({
  provider: 'azure',
  config: { storageAccount: 'acct', ...config },
});
const gcp = (config: Record<string, string> = {}): Spec => ({ provider: 'gcp', config });
const fs = (fspath: string, prefix = ''): Spec => ({
  provider: 'fs',
  config: { fspath },
  objectStorage: { bucket: '', prefix },
});
const federation = (more: object) => JSON.stringify({ type: 'external_account', audience: 'KEEP-SECRET', ...more });
const serviceAccount = JSON.stringify({
  type: 'service_account',
  client_email: 'me@p.test',
  private_key: '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n',
});
const notPlain = /is not an absolute path without "\." and "\.\."/;

const rows: Row[] = [
  {
    value: 'region',
    goesInto: "the host of AWS's token service, which gets the pod's token, and AWS_REGION of the engines",
    spec: aws({ region: 'x.evil.invalid/?' }),
    cloud: role,
    says: /^config\.region "x\.evil\.invalid\/\?" is not a region\./,
  },
  {
    value: 'region',
    goesInto: 'the same with the identity of the pod',
    spec: aws({ region: 'x.evil.invalid#' }),
    cloud: '',
    says: /is not a region/,
  },
  {
    value: 'region',
    goesInto: 'the host of the bucket',
    spec: aws({ region: 'x@evil.invalid' }),
    cloud: keys,
    says: /is not a region/,
  },
  {
    value: 'region',
    goesInto: 'the scope of signatures',
    spec: s3({ region: 'a/b/s3' }),
    cloud: keys,
    says: /is not a region/,
  },
  {
    value: 'region',
    goesInto: 'the same at a store that is not AWS, with a role at AWS',
    spec: s3({ region: 'Region.One' }),
    cloud: role,
    says: /is not a region/,
  },
  {
    value: 's3Url',
    goesInto: 'the URL of each request, which is signed and carries no key',
    spec: s3({ s3Url: 'https://s3.test/?x=' }),
    says: /^config\.s3Url .* has a path\./,
  },
  {
    value: 's3Url',
    goesInto: 'whether the identity of the pod is used: at AWS only',
    spec: s3({ s3Url: 'https://evilamazonaws.com' }),
    cloud: '',
    says: /^Secret velero\/cloud-credentials .* does not exist\./,
  },
  {
    value: 'publicUrl',
    goesInto: 'links, whose signature is for that host alone',
    spec: s3({ publicUrl: 'https://a.test/?x' }),
    says: /has a path/,
  },
  { value: 's3ForcePathStyle', goesInto: 'a switch', spec: s3({ s3ForcePathStyle: 'yes' }), says: /not a boolean/ },
  {
    value: 'insecureSkipTLSVerify',
    goesInto: 'a switch',
    spec: s3({ insecureSkipTLSVerify: '1 ' }),
    says: /not a boolean/,
  },
  {
    value: 'profile',
    goesInto: 'a look-up in the Secret, and messages',
    spec: s3({ profile: '../x' }),
    says: /^Secret velero\/cloud-credentials key cloud has no profile "\.\.\/x"\./,
  },
  {
    value: 'enableSharedConfig',
    goesInto: 'nothing',
    spec: s3({ enableSharedConfig: '/etc/shadow' }),
    says: undefined,
  },
  {
    value: 'serverSideEncryption',
    goesInto: 'a header',
    spec: s3({ serverSideEncryption: 'aws:kms, x' }),
    says: /is not known/,
  },
  {
    value: 'kmsKeyId',
    goesInto: 'a header',
    spec: s3({ kmsKeyId: 'k\u00fc x' }),
    says: /^config\.kmsKeyId "kü x" is not the name of a key\./,
  },
  {
    value: 'customerKeyEncryptionFile',
    goesInto: 'a path in the pods, whose first 32 bytes are sent to s3Url',
    spec: s3({ customerKeyEncryptionFile: '/keys/../proc/self/environ' }),
    says: notPlain,
  },
  {
    value: 'customerKeyEncryptionFile',
    goesInto: 'the same',
    spec: s3({ customerKeyEncryptionFile: '//proc/self/environ' }),
    says: /is in \/proc, which no location may name/,
  },
  {
    value: 'customerKeyEncryptionFile',
    goesInto: 'the same',
    spec: s3({ customerKeyEncryptionFile: '/var/run/secrets/kubernetes.io/serviceaccount/token' }),
    says: /which no location may name/,
  },
  {
    value: 'customerKeyEncryptionSecret',
    goesInto: 'the path of a Secret, whose 32 bytes are sent to s3Url',
    spec: s3({ customerKeyEncryptionSecret: '../x' }),
    says: /is not of the form name\/key/,
  },
  {
    value: 'customerKeyEncryptionSecret',
    goesInto: 'the same: the repository password may have 32 bytes',
    spec: s3({ customerKeyEncryptionSecret: 'velero-repo-credentials/repository-password' }),
    says: /^config\.customerKeyEncryptionSecret names the Secret of the repository password/,
  },
  {
    value: 'checksumAlgorithm',
    goesInto: 'the name of a header',
    spec: s3({ checksumAlgorithm: 'x: y' }),
    says: /not known/,
  },
  {
    value: 'tagging',
    goesInto: 'a header',
    spec: s3({ tagging: 'a=ü' }),
    says: /^config\.tagging is not a list of tags\./,
  },
  { value: 'signatureVersion', goesInto: 'nothing', spec: s3({ signatureVersion: '../4' }), says: undefined },
  {
    value: 'storageAccount',
    goesInto: 'the host of the account, and a path of the resource manager',
    spec: azure({ storageAccount: 'a.evil.invalid/' }),
    cloud: accountKey,
    says: /is not the name of a storage account/,
  },
  {
    value: 'storageAccountURI',
    goesInto: "the host that the principal's token is sent to",
    spec: azure({ storageAccountURI: 'https://acct.evil.invalid', useAAD: 'true' }),
    cloud: withSecret,
    says: /^config\.storageAccountURI is not an address of Azure, and "acct\.evil\.invalid" would get the token/,
  },
  {
    value: 'storageAccountURI',
    goesInto: 'the URL of each request',
    spec: azure({ storageAccountURI: 'https://acct.b.test/#x' }),
    cloud: accountKey,
    says: /holds credentials/,
  },
  {
    value: 'storageAccountKeyEnvVar',
    goesInto: 'a look-up in the Secret, and messages',
    spec: azure({ storageAccountKeyEnvVar: 'A B' }),
    cloud: accountKey,
    says: /is not the name of a variable/,
  },
  {
    value: 'resourceGroup',
    goesInto: 'a path of the resource manager, which gets a token for all of the subscription',
    spec: azure({ resourceGroup: '..', subscriptionId: 's' }),
    cloud: withSecret,
    says: /^config\.resourceGroup "\.\." is not the name of a resource group/,
  },
  {
    value: 'subscriptionId',
    goesInto: 'the same',
    spec: azure({ resourceGroup: 'g', subscriptionId: '..' }),
    cloud: withSecret,
    says: /^"\.\." is not the ID of a subscription/,
  },
  {
    value: 'AZURE_SUBSCRIPTION_ID of the Secret',
    goesInto: 'the same',
    spec: azure({ resourceGroup: 'g' }),
    cloud: `${withSecret}AZURE_SUBSCRIPTION_ID=s/../t\n`,
    says: /is not the ID of a subscription/,
  },
  { value: 'useAAD', goesInto: 'a switch', spec: azure({ useAAD: '/' }), cloud: accountKey, says: /not a boolean/ },
  {
    value: 'activeDirectoryAuthorityURI',
    goesInto: 'the host that the client secret is sent to, and AZURE_AUTHORITY_HOST of kopia',
    spec: azure({ activeDirectoryAuthorityURI: 'https://login.evil.invalid' }),
    cloud: withSecret,
    says: /^config\.activeDirectoryAuthorityURI "https:\/\/login\.evil\.invalid" is not an address of Microsoft Entra ID, and would get the client secret\. .* AZURE_AUTHORITY_HOST=/,
  },
  {
    value: 'activeDirectoryAuthorityURI',
    goesInto: 'the host that the token of the pods is sent to, whatever the Secret says',
    spec: azure({ activeDirectoryAuthorityURI: 'https://login.evil.invalid' }),
    cloud: `${principal}AZURE_AUTHORITY_HOST=https://login.evil.invalid\n`,
    says: /would get the token of the pods/,
  },
  {
    value: 'activeDirectoryAuthorityURI',
    goesInto: 'the same, in clear',
    spec: azure({ activeDirectoryAuthorityURI: 'http://login.microsoftonline.com' }),
    cloud: withSecret,
    says: /is not an address of Microsoft Entra ID/,
  },
  {
    value: 'activeDirectoryAuthorityURI',
    goesInto: 'a path before that of the tenant',
    spec: azure({ activeDirectoryAuthorityURI: 'https://login.microsoftonline.com/other' }),
    cloud: withSecret,
    says: /is not an address of Microsoft Entra ID/,
  },
  {
    value: 'AZURE_TENANT_ID of the Secret',
    goesInto: 'a path of the authority',
    spec: azure({}),
    cloud: 'AZURE_TENANT_ID=..\nAZURE_CLIENT_ID=c\nAZURE_CLIENT_SECRET=KEEP-SECRET\n',
    says: /has an AZURE_TENANT_ID that is not an ID/,
  },
  {
    value: 'AZURE_FEDERATED_TOKEN_FILE of the Secret',
    goesInto: 'a path in the pods, whose content is sent to the authority',
    spec: azure({}),
    cloud: `${principal}AZURE_FEDERATED_TOKEN_FILE=/run/secrets/kubernetes.io/serviceaccount/token\n`,
    says: /which no location may name/,
  },
  {
    value: 'blockSizeInBytes',
    goesInto: 'nothing',
    spec: azure({ blockSizeInBytes: '-1' }),
    cloud: accountKey,
    says: undefined,
  },
  { value: 'apiVersion', goesInto: 'nothing', spec: azure({ apiVersion: '../' }), cloud: accountKey, says: undefined },
  {
    value: 'kmsKeyName',
    goesInto: 'the query of an upload',
    spec: gcp({ kmsKeyName: 'a&b' }),
    cloud: serviceAccount,
    says: /^config\.kmsKeyName "a&b" is not the name of a key\./,
  },
  {
    value: 'serviceAccount',
    goesInto: 'a path of the service that signs, which gets the token of the pod',
    spec: gcp({ serviceAccount: '../x' }),
    cloud: serviceAccount,
    says: /is not a service account/,
  },
  ...[
    { token_url: 'https://sts.evil.invalid/v1/token' },
    { token_url: 'http://sts.googleapis.com' },
    { token_url: 'https://sts.googleapis.com.evil.invalid' },
    { service_account_impersonation_url: 'https://evil.invalid' },
    { universe_domain: 'evil.invalid' },
    { credential_source: { executable: { command: '/bin/sh' } } },
    { credential_source: { file: '/proc/self/environ' } },
  ].map((more) => ({
    value: `${Object.keys(more)[0]} of a federation in the Secret`,
    goesInto: 'what is read or started in the pods, and who gets it',
    spec: gcp(),
    cloud: federation(more),
    says: /^Secret velero\/cloud-credentials key cloud (has a .* (none of|that is not) Google's|gets its token from a program|.* no location may name)/,
  })),
  {
    value: 'fspath',
    goesInto: 'a path in the pods',
    spec: fs('/proc/self'),
    says: /is in \/proc, which no location may name/,
  },
  { value: 'fspath', goesInto: 'the same', spec: fs('/data/../etc'), says: notPlain },
  {
    value: 'resticRepoPrefix',
    goesInto: 'see restic-place.test.ts',
    spec: s3({ resticRepoPrefix: 's3:x' }),
    says: undefined,
  },
  { value: 'credentialsFile', goesInto: 'nothing', spec: s3({ credentialsFile: '/etc/shadow' }), says: undefined },
  { value: 'bucket', goesInto: 'nothing, as an entry of config', spec: s3({ bucket: '../x' }), says: undefined },
  { value: 'prefix', goesInto: 'nothing, as an entry of config', spec: s3({ prefix: '../x' }), says: undefined },
  { value: 'caCert', goesInto: 'nothing, as an entry of config', spec: s3({ caCert: '/etc/shadow' }), says: undefined },
  ...['a?policy', 'a#b', '..', 'a\\b', 'a@b', 'arn:aws:s3:../../x?y', 'arn:aws:s3:r:1:accesspoint/x/../y'].map(
    (bucket) => ({
      value: 'spec.objectStorage.bucket',
      goesInto: 'the host or path of each request, and what restic calls the repository',
      spec: { ...s3({}), objectStorage: { bucket } },
      says: /^spec\.objectStorage\.bucket .* is not the name of a bucket\./,
    }),
  ),
  {
    value: 'spec.objectStorage.bucket',
    goesInto: 'a container',
    spec: { ...azure({}), objectStorage: { bucket: 'a.b' } },
    cloud: accountKey,
    says: /is not the name of a container/,
  },
  ...['..', 'a/../b', './a', 'a\\..\\b', 'a\u0085b', '\ud800'].flatMap((prefix) =>
    [s3({}), fs('/data')].map((spec) => ({
      value: 'spec.objectStorage.prefix',
      goesInto: 'the beginning of every key, or a path in the pods',
      spec: { ...spec, objectStorage: { bucket: 'b', prefix } },
      says: /^spec\.objectStorage\.prefix .* cannot be used: /,
    })),
  ),
  ...['../x', 'a/b', '..', 'A', 'x?watch=1'].flatMap((name) => [
    {
      value: 'spec.credential.name',
      goesInto: 'a path of the API server',
      spec: { ...s3({}), credential: { name, key: 'k' } },
      says: /^spec\.credential\.name .* is not the name of a Secret$/,
    },
    {
      value: 'spec.objectStorage.caCertRef.name',
      goesInto: 'the same',
      spec: { ...s3({}), objectStorage: { bucket: 'b', caCertRef: { name, key: 'k' } } },
      says: /^spec\.objectStorage\.caCertRef\.name .* is not the name of a Secret$/,
    },
  ]),
  {
    value: 'spec.credential.key',
    goesInto: 'a look-up in the Secret',
    spec: { ...s3({}), credential: { name: 'cloud-credentials', key: 'constructor' } },
    says: /has no key constructor/,
  },
  {
    value: 'the annotations of rates',
    goesInto: 'a flag of restic and a setting of kopia',
    spec: s3({}),
    annotations: { 'lateen.dev/upload-bytes-per-second': '1Mi --repo=x' },
    says: /is not a quantity/,
  },
  {
    value: 'keys of the Secret',
    goesInto: 'the environment of the engines: who refuses a zero byte there repeats the value',
    spec: s3({}),
    cloud: keys.replace('KEEP-SECRET', 'KEEP-SECRET\0'),
    says: /has a control character in aws_secret_access_key of profile "default"/,
  },
  {
    value: 'web_identity_token_file of the Secret',
    goesInto: "a path in the pods, whose content is sent to AWS's token service",
    spec: aws({ region: 'eu-1' }),
    cloud: role.replace('/var/run/t', '/dev/zero'),
    says: /is in \/dev, which no location may name/,
  },
];

const nobody: ListAccountKey = () => Promise.reject(new Error('nobody is to be asked'));

function read(
  { spec, cloud = keys, annotations }: Pick<Row, 'spec' | 'cloud' | 'annotations'>,
  listAccountKey = nobody,
) {
  const secret = aSecret({ name: 'cloud-credentials', namespace: 'velero', values: { cloud } });
  const objects = cloud === '' ? [] : [secret];
  const kube = fakeCluster({ clock: new FakeClock(), random: seededRandom(1), objects });
  const location = aBackupStorageLocation({ spec });
  if (annotations !== undefined) location.metadata.annotations = annotations;
  const { signal } = new AbortController();
  return readLocation(kube, location, { signal, listAccountKey, customerKey: true });
}

describe('a hostile value of', () => {
  it.each(rows.filter(({ says }) => says !== undefined))(
    '$value, which would become part of $goesInto, is rejected',
    async (row) => {
      const error: unknown = await read(row).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).toMatchObject({ code: expect.stringMatching(/^(LOCATION_INVALID|CREDENTIALS_INVALID|SECRET_)/) });
      expect(describeError(error)).toMatch(row.says ?? /^$/);
      expect(describeError(error)).not.toContain('KEEP-SECRET');
    },
  );

  it.each(rows.filter(({ says }) => says === undefined))(
    '$value becomes part of $goesInto',
    async ({ value, ...row }) => {
      const config = { ...row.spec.config };
      delete config[value];
      const { resticRepoPrefix: _, ...resolved } = await read(row);
      expect(resolved).toEqual(await read({ ...row, spec: { ...row.spec, config } }));
    },
  );

  it('each config key of all providers is in this table', () => {
    const tried = new Set(rows.map(({ value }) => value));
    expect(knownConfigKeys.filter((key) => !tried.has(key))).toEqual([]);
  });
});

describe('an unusual but valid value', () => {
  it.each<[string, Spec, string, object]>([
    ['a region of OpenStack', s3({ region: 'RegionOne' }), keys, { region: 'RegionOne' }],
    ['a region with a role', aws({ region: 'us-gov-west-1' }), role, { region: 'us-gov-west-1' }],
    ['an old bucket name', { ...s3({}), objectStorage: { bucket: 'Old_Name.x' } }, keys, { bucket: 'Old_Name.x' }],
    ['a bucket name with a tenant', { ...s3({}), objectStorage: { bucket: 'tenant:b' } }, keys, { bucket: 'tenant:b' }],
    [
      'one of Azure’s system containers',
      { ...azure({}), objectStorage: { bucket: '$root' } },
      accountKey,
      { bucket: '$root' },
    ],
    [
      'a prefix with slashes',
      { ...s3({}), objectStorage: { bucket: 'b', prefix: '//a//b..c/' } },
      keys,
      { prefix: 'a/b..c' },
    ],
    [
      'a custom authority host, also in the Secret',
      azure({ activeDirectoryAuthorityURI: 'https://adfs.corp.test/adfs/', useAAD: 'true' }),
      `${withSecret}AZURE_AUTHORITY_HOST=https://adfs.corp.test/adfs\n`,
      { credentials: { authority: 'https://adfs.corp.test/adfs' } },
    ],
    [
      'a workload identity federation of Google',
      gcp({
        serviceAccount: 'me@p.iam.gserviceaccount.com',
        kmsKeyName: 'projects/x.test:p/locations/l/keyRings/r/cryptoKeys/k',
      }),
      federation({
        token_url: 'https://sts.googleapis.com/v1/token',
        credential_source: { file: '/var/run/secrets/tokens/gcp/token' },
      }),
      { provider: 'gcp' },
    ],
  ])('%s', async (_, spec, cloud, resolved) => {
    expect(await read({ spec, cloud })).toMatchObject(resolved);
  });

  it('the name of a resource group', async () => {
    const spec = azure({ resourceGroup: 'Größe_(1).x', subscriptionId: '0b1f-2' });
    const asked: unknown[] = [];
    await read({ spec, cloud: withSecret }, async (_, { resourceGroup, subscriptionId }) => {
      asked.push(resourceGroup, subscriptionId);
      return 'a2V5';
    });
    expect(asked).toEqual(['Größe_(1).x', '0b1f-2']);
  });
});
