import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  aBackupStorageLocation,
  aSecret,
  FakeClock,
  fakeCluster,
  seededRandom,
  testCertificates,
} from '@lateen/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runForTests } from '../run-for-tests.ts';

let folder = '';
const file = (name: string) => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lateen-ca-'));
  const { ca, server } = testCertificates();
  writeFileSync(file('good.pem'), ca);
  writeFileSync(file('empty.pem'), '');
  writeFileSync(file('blank.pem'), ' \n\n');
  writeFileSync(file('text.pem'), 'no certificate at all');
  writeFileSync(file('der.pem'), Buffer.from([0x30, 0x82, 0x01, 0x0a, 0x00]));
  writeFileSync(file('torn.pem'), `${ca}\n-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n`);
  writeFileSync(file('half.pem'), ca.slice(0, ca.length / 2));
  writeFileSync(file('key.pem'), `${ca}\n${server.key}`);
  writeFileSync(file('large.pem'), ca.repeat(1_000));
  mkdirSync(file('folder.pem'));
  symlinkSync('loop.pem', file('loop.pem'));
  execFileSync('mkfifo', [file('pipe.pem')]);
});
afterAll(() => rmSync(folder, { recursive: true }));

const secret = 'a-very-secret-value';
const objects = [
  aBackupStorageLocation({ name: 'default', spec: { default: true } }),
  aBackupStorageLocation({ name: 'other', labels: { tier: 'two' } }),
  aSecret({ name: 'keys', values: { cloud: secret } }),
];
const writes = new Set(['create', 'update', 'patch', 'delete']);

/** `<dir>` stands for the folder of the test's files. */
async function run(words: readonly string[]) {
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock, objects });
  const before = JSON.stringify(cluster.everything());
  const given = words.map((word) => word.replace('<dir>', folder));
  const ran = await runForTests({ clock, random: seededRandom(), kube: cluster }, given);
  return {
    ...ran,
    stderr: ran.stderr.replaceAll(folder, '<dir>'),
    written: cluster.calls.filter(({ verb }) => writes.has(verb)).map(({ verb, key }) => `${verb} ${key.name}`),
    changed: JSON.stringify(cluster.everything()) !== before,
  };
}

const good = ['new', '--provider', 'aws', '--bucket', 'backups'];
const create = (...more: string[]) => ['backup-location', 'create', ...good, ...more];
const createAs = (...words: string[]) => ['backup-location', 'create', ...words];
const set = (...words: string[]) => ['backup-location', 'set', ...words];
const remove = (...words: string[]) => ['backup-location', 'delete', ...words];
const get = (...words: string[]) => ['backup-location', 'get', ...words];

const nameRule =
  "A name is made of lower case letters, digits, '-' and '.', begins and ends with a letter or digit, and has at most 253 characters.";
const pairs = 'Write pairs as key=value, separated by commas.';
const pem = 'Give a PEM file with BEGIN CERTIFICATE lines.';
const cut = (character: string) => `"${character.repeat(120)}…"`;
const selection =
  'you must specify exactly one of: specific backup-location name(s), the --all flag, or the --selector flag';

const provider: [string[], string][] = [
  [createAs('new', '--bucket', 'b'), '--provider is required'],
  [createAs('new', '--provider', '', '--bucket', 'b'), '--provider is required'],
  [createAs('new', '--provider', '  ', '--bucket', 'b'), '--provider is required'],
  [
    createAs('new', '--provider', 'a b', '--bucket', 'b'),
    '--provider "a b" is not the name of a provider. Use aws, azure, gcp or velero.io/fs.',
  ],
  [
    createAs('new', '--provider', 'a/b/c', '--bucket', 'b'),
    '--provider "a/b/c" is not the name of a provider. Use aws, azure, gcp or velero.io/fs.',
  ],
  [
    createAs('new', '--provider', 'aws\u001b[2J', '--bucket', 'b'),
    '--provider "aws\\u001b[2J" is not the name of a provider. Use aws, azure, gcp or velero.io/fs.',
  ],
  [
    createAs('new', '--provider', 'p'.repeat(10_000), '--bucket', 'b'),
    `--provider ${cut('p')} is not the name of a provider. Use aws, azure, gcp or velero.io/fs.`,
  ],
];

const bucket: [string[], string][] = [
  [createAs('new', '--provider', 'aws'), '--bucket is required'],
  [createAs('new', '--provider', 'aws', '--bucket', ''), '--bucket is required'],
  [createAs('new', '--provider', 'aws', '--bucket', ' \t'), '--bucket is required'],
  [
    createAs('new', '--provider', 'aws', '--bucket', 'backups/prod'),
    "backup storage location's bucket name \"backups/prod\" must not contain a '/' (if using a prefix, put it in the 'Prefix' field instead). Give the part after the bucket with --prefix.",
  ],
  [
    createAs('new', '--provider', 'aws', '--bucket', '-backups'),
    'Bucket names cannot begin with a dash. Bucket name was: -backups',
  ],
  [createAs('new', '--provider', 'aws', '--bucket', 'a\nb'), '--bucket "a\\nb" holds a control character'],
  [createAs('new', '--provider', 'aws', '--bucket', 'a\u202eb'), '--bucket "a\\u202eb" holds a control character'],
  [
    createAs('new', '--provider', 'aws', '--bucket', 'a b'),
    'spec.objectStorage.bucket "a b" is not the name of a bucket. Write its name alone.',
  ],
  [
    createAs('new', '--provider', 'aws', '--bucket', '..'),
    'spec.objectStorage.bucket ".." is not the name of a bucket. Write its name alone.',
  ],
  [createAs('new', '--provider', 'aws', '--bucket', 'b'.repeat(256)), '--bucket is longer than 255 characters'],
];

const prefix: [string[], string][] = [
  [
    create('--prefix', '../other'),
    'spec.objectStorage.prefix "../other" cannot be used: it has the part "..". Leave that out.',
  ],
  [
    create('--prefix', 'a/../../b'),
    'spec.objectStorage.prefix "a/../../b" cannot be used: it has the part "..". Leave that out.',
  ],
  [create('--prefix', './a'), 'spec.objectStorage.prefix "./a" cannot be used: it has the part ".". Leave that out.'],
  [create('--prefix', 'a\u0000b'), '--prefix "a\\u0000b" holds a control character'],
  [create('--prefix', 'a\r\nb'), '--prefix "a\\r\\nb" holds a control character'],
  [create('--prefix', 'a\u009bb'), '--prefix "a\\u009bb" holds a control character'],
  [create('--prefix', 'é'.repeat(257)), '--prefix is longer than 512 bytes'],
];

const config: [string[], string][] = [
  [create('--config', ''), `--config: "" is not of the form key=value. ${pairs}`],
  [create('--config', 'region'), `--config: "region" is not of the form key=value. ${pairs}`],
  [create('--config', '=eu'), `--config: "=eu" is not of the form key=value. ${pairs}`],
  [create('--config', 'region=a,'), `--config: "" is not of the form key=value. ${pairs}`],
  [create('--config', 'region=a,region=b'), '--config: "region" is given twice'],
  [create('--config', 'region=a', '--config', 'region=b'), '--config: "region" is given twice'],
  [create('--config', 'my key=a'), '--config: "my key" is not the name of a setting'],
  [create('--config', '__proto__=a'), '--config: "__proto__" is not the name of a setting'],
  [create('--config', 'bucket=a'), '--config: bucket is set with --bucket'],
  [create('--config', 'caCert=a'), '--config: caCert is set with --cacert'],
  [
    create('--config', `aws_secret_access_key=${secret}`),
    '--config: aws_secret_access_key is a secret and must not be stored in a location. Put it into a Secret and name that with --credential.',
  ],
  [
    create('--config', `storageAccountAccessKey=${secret}`),
    '--config: storageAccountAccessKey is a secret and must not be stored in a location. Put it into a Secret and name that with --credential.',
  ],
  [create('--config', 'region=a\u0007'), '--config: the value of region holds a control character'],
  [create('--config', `region=${'r'.repeat(5_000)}`), '--config: the value of region is longer than 4096 characters'],
  [create('--config', Array.from({ length: 65 }, (_, at) => `k${at}=v`).join(',')), '--config has more than 64 pairs'],
  [
    create('--config', 'customerKeyEncryptionSecret=a/b/c'),
    'config.customerKeyEncryptionSecret is not of the form name/key. Name a Secret of this namespace and the key in it that holds the 32 bytes.',
  ],
  [
    create('--config', 's3-url=https://minio.example:9000,regio=r'),
    'config has invalid keys [regio s3-url]; valid keys are [region s3Url publicUrl s3ForcePathStyle insecureSkipTLSVerify profile enableSharedConfig serverSideEncryption kmsKeyId customerKeyEncryptionFile customerKeyEncryptionSecret checksumAlgorithm tagging signatureVersion]. Write s3Url.',
  ],
  [
    create('--config', 's3ForcePathStyle=yes'),
    'config.s3ForcePathStyle "yes" is not a boolean. Write "true" or "false".',
  ],
  [
    create('--config', 's3Url=ftp://host'),
    'config.s3Url "ftp://host" is not an http or https address. Write it as https://host[:port].',
  ],
  [
    create('--config', 's3Url=https://'),
    'config.s3Url "https://" is not an http or https address. Write it as https://host[:port].',
  ],
  [
    create('--config', 's3Url=https://host/path'),
    'config.s3Url "https://host/path" has a path. Leave only scheme, host and port.',
  ],
  [
    create('--config', `s3Url=https://user:${secret}@host/path`),
    'config.s3Url holds credentials. Move them into the Secret of spec.credential.',
  ],
  [
    create('--config', 'region=x.evil.invalid/?'),
    'config.region "x.evil.invalid/?" is not a region. Write its name alone, such as eu-west-1.',
  ],
  [
    create('--config', 'customerKeyEncryptionFile=/proc/self/environ'),
    'config.customerKeyEncryptionFile "/proc/self/environ" is in /proc, which no location may name',
  ],
  [
    create('--config', `s3Url=https://user:${secret}@host`),
    'config.s3Url holds credentials. Move them into the Secret of spec.credential.',
  ],
];

const secrets: [string[], string][] = [
  [create('--credential', 'keys'), `--credential: "keys" is not of the form key=value. ${pairs}`],
  [create('--credential', 'a=b,c=d'), '--credential can only contain 1 key/value pair'],
  [create('--credential', 'a=b', '--credential', 'c=d'), '--credential can only contain 1 key/value pair'],
  [
    create('--credential', 'other/keys=cloud'),
    '--credential: "other/keys" names a namespace. The Secret has to be in the namespace of the location; give its name alone.',
  ],
  [create('--credential', 'Keys=cloud'), '--credential: "Keys" is not the name of a Secret'],
  [create('--credential', 'keys=a b'), '--credential: "a b" is not a key of a Secret'],
  [create('--credential', 'keys='), '--credential: "" is not a key of a Secret'],
  [create('--credential', 'keys=..'), '--credential: ".." is not a key of a Secret'],
  [create('--cacert-secret', 'a=b,c=d'), '--cacert-secret can only contain 1 key/value pair'],
  [create('--cacert-secret', 'ca'), `--cacert-secret: "ca" is not of the form key=value. ${pairs}`],
];

const periods: [string[], string][] = [
  [create('--backup-sync-period=-1s'), '--backup-sync-period must be non-negative'],
  [create('--validation-frequency', '-1h'), '--validation-frequency must be non-negative'],
  [create('--backup-sync-period', '10'), '--backup-sync-period "10" is not a duration. Write it as 90s, 10m or 1h30m.'],
  [
    create('--validation-frequency', '1d'),
    '--validation-frequency "1d" is not a duration. Write it as 90s, 10m or 1h30m.',
  ],
  [create('--validation-frequency', ''), '--validation-frequency "" is not a duration. Write it as 90s, 10m or 1h30m.'],
  [create('--backup-sync-period', '99999999999h'), '--backup-sync-period "99999999999h" is longer than 292 years'],
];

const rate = 'Write bytes per second as a quantity, such as 10Mi or 5000000; 0 is no limit.';
const rates: [string[], string][] = [
  [create('--upload-limit', 'fast'), `--upload-limit "fast" is not a quantity. ${rate}`],
  [create('--upload-limit', '10MB'), `--upload-limit "10MB" is not a quantity. ${rate}`],
  [create('--upload-limit', '10Mi\n'), `--upload-limit "10Mi\\n" is not a quantity. ${rate}`],
  [create('--upload-limit=-1Mi'), `--upload-limit "-1Mi" is not above 0. ${rate}`],
  [create('--download-limit', '10m'), `--download-limit "10m" is less than 1Ki. ${rate}`],
  [create('--download-limit', '1e999'), `--download-limit "1e999" is more than 1Pi. ${rate}`],
  [set('other', '--download-limit', '1 Gi'), `--download-limit "1 Gi" is not a quantity. ${rate}`],
  [set('other', '--upload-limit', '1'.repeat(500)), `--upload-limit ${cut('1')} is not a quantity. ${rate}`],
];

const files: [string[], string][] = [
  [create('--cacert', '<dir>/none.pem'), '--cacert "<dir>/none.pem": there is no such file'],
  [create('--cacert', ''), '--cacert "": there is no such file'],
  [create('--cacert', '<dir>/empty.pem'), '--cacert "<dir>/empty.pem": it is empty'],
  [create('--cacert', '<dir>/blank.pem'), '--cacert "<dir>/blank.pem": it is empty'],
  [create('--cacert', '<dir>/text.pem'), `--cacert "<dir>/text.pem": it holds no PEM certificate. ${pem}`],
  [create('--cacert', '<dir>/der.pem'), `--cacert "<dir>/der.pem": it holds no PEM certificate. ${pem}`],
  [create('--cacert', '<dir>/half.pem'), `--cacert "<dir>/half.pem": certificate 1 in it cannot be read. ${pem}`],
  [create('--cacert', '<dir>/torn.pem'), `--cacert "<dir>/torn.pem": certificate 2 in it cannot be read. ${pem}`],
  [
    create('--cacert', '<dir>/key.pem'),
    '--cacert "<dir>/key.pem": it holds a private key. Give a file with certificates only.',
  ],
  [create('--cacert', '<dir>/large.pem'), '--cacert "<dir>/large.pem": it is larger than 512 KiB'],
  [create('--cacert', '<dir>/folder.pem'), '--cacert "<dir>/folder.pem": it is not a file'],
  [create('--cacert', '<dir>/pipe.pem'), '--cacert "<dir>/pipe.pem": it is not a file'],
  [create('--cacert', '<dir>/loop.pem'), '--cacert "<dir>/loop.pem": its symbolic links form a loop'],
  [
    create('--cacert', '<dir>/good.pem', '--cacert-secret', 'ca=crt'),
    '--cacert and --cacert-secret cannot both be given',
  ],
];

const namesAndRest: [string[], string][] = [
  [createAs('New', '--provider', 'aws', '--bucket', 'b'), `invalid name "New". ${nameRule}`],
  [createAs('a_b', '--provider', 'aws', '--bucket', 'b'), `invalid name "a_b". ${nameRule}`],
  [createAs('', '--provider', 'aws', '--bucket', 'b'), `invalid name "". ${nameRule}`],
  [createAs('a..b', '--provider', 'aws', '--bucket', 'b'), `invalid name "a..b". ${nameRule}`],
  [createAs('a/../b', '--provider', 'aws', '--bucket', 'b'), `invalid name "a/../b". ${nameRule}`],
  [createAs('n'.repeat(254), '--provider', 'aws', '--bucket', 'b'), `invalid name ${cut('n')}. ${nameRule}`],
  [create('--access-mode', 'readonly'), '--access-mode "readonly" is not an access mode. Use ReadWrite or ReadOnly.'],
  [create('--access-mode', ''), '--access-mode "" is not an access mode. Use ReadWrite or ReadOnly.'],
  [create('--labels', 'a'), `--labels: "a" is not of the form key=value. ${pairs}`],
  [create('--labels', 'a b=c'), '--labels: "a b" is not a label key'],
  [create('--labels', 'A_/x=c'), '--labels: "A_/x" is not a label key'],
  [create('--labels', 'a=b c'), '--labels: "b c" is not a label value'],
  [create('--labels', `a=${'v'.repeat(64)}`), `--labels: "${'v'.repeat(64)}" is not a label value`],
  [create('--default=maybe'), '--default "maybe" is not true or false'],
  [create('-o', 'xml'), '--output "xml" is not a format. Use one of table, wide, json, yaml, name.'],
  [create('-o', 'yaml', '--wait'), '--wait cannot be given with --output, which only prints the location'],
  [set('other'), 'no setting was given. Give at least one flag; see lateen backup-location set --help.'],
  [set('other', '--default=2'), '--default "2" is not true or false'],
  [set('other', '--credential', 'a=b,c=d'), '--credential can only contain 1 key/value pair'],
  [set('other', '--cacert', '<dir>/empty.pem'), '--cacert "<dir>/empty.pem": it is empty'],
  [set('other', '--config', 'region=a\u0007'), '--config: the value of region holds a control character'],
  [set('none', '--default'), 'backupstoragelocations.velero.io "none" not found'],
  [set('Other', '--default'), `invalid name "Other". ${nameRule}`],
  [remove('--confirm'), selection],
  [remove('other', '--all', '--confirm'), selection],
  [remove('other', '-l', 'tier=two', '--confirm'), selection],
  [remove('--all', '--selector', 'tier=two', '--confirm'), selection],
  [remove('--selector', '', '--confirm'), 'flag must have a non-empty value: --selector'],
  [
    remove('other'),
    'deleting needs a confirmation, and there is no terminal to ask for it. Give --confirm to run without a question.',
  ],
  [remove('none', '--confirm'), 'backupstoragelocations.velero.io "none" not found'],
  [
    remove('none', 'other', 'nil', '--confirm'),
    '[backupstoragelocations.velero.io "none" not found, backupstoragelocations.velero.io "nil" not found]',
  ],
  [remove('../other', '--confirm'), `invalid name "../other". ${nameRule}`],
  [get('none'), 'backupstoragelocations.velero.io "none" not found'],
  [
    get('other', '-l', 'tier=two'),
    'names of backup-locations and --selector cannot be combined. Give names or --selector, not both.',
  ],
  [get('-o', 'custom'), '--output "custom" is not a format. Use one of table, wide, json, yaml, name.'],
  [get('--label-columns', 'a,,b'), '--label-columns has an empty label in it'],
];

const commandLines: [string[], string][] = [
  [createAs('--provider', 'aws', '--bucket', 'b'), "error: missing required argument 'name'\n"],
  [create('second'), "error: too many arguments for 'create'. Expected 1 argument but got 2: new, second.\n"],
  [create('--buckett', 'b'), "error: unknown option '--buckett'\n(Did you mean --bucket?)\n"],
  [createAs('new', '--provider', 'aws', '--bucket'), "error: option '--bucket <name>' argument missing\n"],
  [set('--default'), "error: missing required argument 'name'\n"],
  [['backup-location', 'creat'], "error: unknown command 'creat'\n(Did you mean create?)\n"],
];

const ofInstall = (text: string): string => text.replaceAll('--config', '--backup-location-config');

describe('invalid input of lateen backup-location', () => {
  const rows = [provider, bucket, prefix, config, secrets, periods, rates, files, namesAndRest].flat();

  it('has more than sixty cases', () => expect(rows.length).toBeGreaterThan(60));

  it.each(rows)('%j: %s', async (words, message) => {
    const { code, stdout, stderr, written, changed } = await run(words);
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: `An error occurred: ${message}\n` });
    expect({ written, changed }).toEqual({ written: [], changed: false });
    expect(stderr).not.toContain(secret);
  });

  /** The same flags of `install`, which has no others of `create`. */
  const installed = [provider, bucket, prefix, config, files]
    .flat()
    .filter(([words]) => !words.includes('--cacert-secret'))
    .map(([words, message]): [string[], string] => [
      ['install', '--no-secret', ...words.slice(3).map(ofInstall)],
      ofInstall(message).replace(
        'Put it into a Secret and name that with --credential.',
        'Put it into the file of --secret-file.',
      ),
    ]);

  it.each(installed)('%j: %s', async (words, message) => {
    const { code, stdout, stderr, written, changed } = await run(words);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.split('\n').at(-2)).toBe(`An error occurred: ${message}`);
    expect({ written, changed }).toEqual({ written: [], changed: false });
    expect(stderr).not.toContain(secret);
  });

  it.each(commandLines)('%j: %s', async (words, message) => {
    const { code, stdout, stderr, written, changed } = await run(words);
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: message });
    expect({ written, changed }).toEqual({ written: [], changed: false });
  });
});
