import { backupStorageLocationType, type KubeObject } from '@lateen/api-types';
import {
  aBackupRepository,
  aBackupStorageLocation,
  aConfigMap,
  aDataDownload,
  aDataUpload,
  aNamespace,
  aPersistentVolumeClaim,
  aPod,
  FakeClock,
  fakeCluster,
  letWorkRun,
  seededRandom,
} from '@lateen/testing';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../program.ts';
import { runForTests } from '../run-for-tests.ts';
import { completionLimits } from './complete-words.ts';
import { completionOf } from './completion.ts';

const velero = (kind: string, name: string, phase: string): KubeObject =>
  ({
    apiVersion: 'velero.io/v1',
    kind,
    metadata: { name, namespace: 'velero' },
    spec: {},
    status: { phase },
  }) as KubeObject;

const webPod = aPod({ name: 'web-0', namespace: 'shop' });
webPod.spec.volumes = [{ name: 'scratch', emptyDir: {} }, { name: 'data' }];

const objects: KubeObject[] = [
  aBackupStorageLocation({ name: 'main', spec: { default: true } }),
  aBackupStorageLocation({ name: 'offsite', phase: 'Unavailable' }),
  aBackupStorageLocation({ name: 'elsewhere', namespace: 'other' }),
  aBackupRepository({ name: 'shop-main-kopia', spec: { volumeNamespace: 'shop', backupStorageLocation: 'main' } }),
  aBackupRepository({ name: 'mail-main-kopia' }),
  velero('Backup', 'nightly-1', 'Completed'),
  velero('Backup', 'nightly-2', 'InProgress'),
  velero('Restore', 'back-again', 'Completed'),
  aDataUpload({ name: 'data-1', status: { phase: 'Completed', completionTimestamp: '2030-01-01T00:00:00Z' } }),
  aDataUpload({ name: 'data-2', status: { phase: 'InProgress' } }),
  aDataDownload({ name: 'data-2', status: { phase: 'Completed' } }),
  aConfigMap({ name: 'agents' }),
  ...['shop', 'mail'].map((name) => aNamespace({ name })),
  aPersistentVolumeClaim({ name: 'data', namespace: 'shop' }),
  aPersistentVolumeClaim({ name: 'logs', namespace: 'mail' }),
  webPod,
];

function setUp(more: KubeObject[] = []) {
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock, objects: [...objects, ...more] });
  const world = { clock, random: seededRandom(), kube: cluster };
  const answer = (...words: string[]) => runForTests(world, ['__complete', ...words]);
  return { clock, cluster, answer };
}

async function offered(...words: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await setUp().answer(...words);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.trimEnd().split('\n');
}
const wordsOffered = async (...words: string[]) =>
  (await offered(...words)).slice(0, -1).map((line) => line.split('\t')[0]);

describe('completion of commands and flags', () => {
  it.each<[string, string[]]>([
    ['vol', ['volume']],
    ['volume up', ['upload']],
    ['repo ch', ['check', 'change-password']],
    ['get backup-loc', ['backup-locations']],
    ['repo check shop-main-kopia --re', ['--read-data']],
    ['volume upload --snap', ['--snapshot-class', '--snapshot-timeout']],
    ['volume upload shop/data --st', ['--storage-location']],
    ['nonsense --kubec', ['--kubeconfig', '--kubecontext']],
    ['version --cl', ['--client-only']],
    ['nonsense ', []],
    ['repo check -- --re', []],
  ])('%s', async (line, expected) => expect(await wordsOffered(...line.split(' '))).toEqual(expected));

  it('has descriptions, and tells the shell not to offer files', async () => {
    expect(await offered('plugin', 'g')).toEqual(['get\tList the plugins that the server knows', ':4']);
  });
  it('offers flags where no argument can stand, and never hidden ones', async () => {
    for (const words of [['version'], ['repo', 'check', 'shop-main-kopia']])
      expect(await wordsOffered(...words, '')).toEqual(expect.arrayContaining(['--namespace', '--help']));
    expect(await wordsOffered('install', '--privileged-node')).toEqual([]);
  });
});

describe('completion of the values of flags', () => {
  it.each<[string, string[]]>([
    ['volume list -o ', ['table', 'wide', 'json', 'yaml', 'name']],
    ['volume list -oj', ['-ojson']],
    ['volume list -wo j', ['json']],
    ['volume list --output=ya', ['--output=yaml']],
    ['volume list --running --sort-by p', ['phase', 'progress']],
    ['repo usage --sort-by u', ['unique']],
    ['backup-location create x --access-mode Read', ['ReadOnly', 'ReadWrite']],
    ['backup-location create x --provider a', ['aws', 'azure']],
    ['backup-location set x --default=', ['--default=true', '--default=false']],
    ['backup-location set --default m', ['main']],
    ['install --log-level d', ['debug']],
    ['install --dry-run --output ', ['yaml', 'json']],
    ['volume download --volume-mode B', ['Block']],
    ['completion ', ['bash', 'zsh', 'fish']],
    ['backup describe x --outcome F', ['Failed']],
    ['backup describe x --outcome=Failed,W', ['--outcome=Failed,Warning']],
    ['backup describe x -o ', ['plaintext', 'json']],
    ['backup create x --snapshot-volumes=', ['--snapshot-volumes=true', '--snapshot-volumes=false']],
    ['restore create --existing-volume-data-policy f', ['full']],
    ['restore create --wait-for-data=', ['--wait-for-data=true', '--wait-for-data=false']],
    ['restore create --wait-for-data --scale-w', ['--scale-workloads']],
    ['backup explain pods s', ['shop/']],
    ['backup explain pods shop/web --backup nightly-', ['nightly-1', 'nightly-2']],
    ['backup explain pods shop/web -o j', ['json']],
    ['backup create x --include-resources p', []],
    ['version --timeout ', []],
    ['version --nonsense=', []],
  ])('%s', async (line, expected) => expect(await wordsOffered(...line.split(' '))).toEqual(expected));

  it.each([
    'install --cacert ',
    'install --secret-file=cre',
    '--kubeconfig ',
    'backup download x -o ',
    'uninstall --save-repository-password p',
  ])('leaves files to the shell: %s', async (line) => expect(await offered(...line.split(' '))).toEqual([':0']));

  it('offers values for every flag whose placeholder is a list of words or a file', () => {
    const open: string[] = [];
    const visit = (command: Command): void => {
      for (const option of command.options)
        if (/<(format|mode|level|key|file)>$/.test(option.flags) && completionOf(option) === undefined)
          open.push(`${command.name()} ${option.flags}`);
      for (const each of command.commands) visit(each);
    };
    visit(buildProgram({} as Parameters<typeof buildProgram>[0], {}));
    expect(open).toEqual([]);
  });
});

describe('completion of names in the cluster', () => {
  it.each<[string, string[]]>([
    ['backup-location get ', ['main', 'offsite']],
    ['backup-location get main ', ['offsite']],
    ['backup-location delete o', ['offsite']],
    ['delete backup-location o', ['offsite']],
    ['backup-location set ', ['main', 'offsite']],
    ['backup-location get -n other ', ['elsewhere']],
    ['-nother backup-location get ', ['elsewhere']],
    ['--namespace=other backup-location get ', ['elsewhere']],
    ['volume upload shop/data --storage-location m', ['main']],
    ['repo get s', ['shop-main-kopia']],
    ['repo check ', ['mail-main-kopia', 'shop-main-kopia']],
    ['repo change-password --skip sh', ['shop-main-kopia']],
    ['backup logs n', ['nightly-1', 'nightly-2']],
    ['backup download ', ['nightly-1', 'nightly-2']],
    ['restore logs ', ['back-again']],
    ['backup get nightly-1 ', ['nightly-2']],
    ['describe backups n', ['nightly-1', 'nightly-2']],
    ['backup create x --include-namespaces s', ['shop']],
    ['backup create x --include-namespaces shop,m', ['shop,mail']],
    ['backup create x --storage-location off', ['offsite']],
    ['backup create x --resource-policies-configmap ', ['agents']],
    ['volume describe ', ['data-1', 'upload/data-2', 'download/data-2']],
    ['volume describe upload/', ['upload/data-1', 'upload/data-2']],
    ['volume cancel ', ['upload/data-2']],
    ['volume download shop/data --from ', ['data-1']],
    ['volume upload s', ['shop/']],
    ['volume upload mail/', ['mail/logs']],
    ['restore create --existing-volumes s', ['shop/']],
    ['restore create --existing-volumes shop/', ['shop/data=']],
    ['restore create --existing-volumes shop/data=f', ['shop/data=full']],
    ['restore plan --existing-volumes shop/data=full,mail/', ['shop/data=full,mail/logs=']],
    ['volume list --volume shop/d', ['shop/data']],
    ['volume list --volume shop/w', ['shop/web-0:']],
    ['volume list --volume shop/web-0:', ['shop/web-0:scratch', 'shop/web-0:data']],
    ['repo get -n ma', ['mail']],
    ['install --node-agent-configmap ', ['agents']],
  ])('%s', async (line, expected) => expect(await wordsOffered(...line.split(' '))).toEqual(expected));

  it('has descriptions', async () => {
    expect(await offered('backup-location', 'get', '')).toEqual([
      'main\tAvailable, default',
      'offsite\tUnavailable',
      ':4',
    ]);
    expect(await offered('repo', 'check', 's')).toEqual(['shop-main-kopia\tshop in main, Ready', ':4']);
    expect(await offered('volume', 'download', 'x/y', '--from', '')).toEqual([
      'data-1\tapp/data, 2030-01-01T00:00:00Z',
      ':4',
    ]);
  });
  it('continues the word after a namespace', async () => {
    expect(await offered('volume', 'upload', 'sh')).toEqual(['shop/', ':6']);
  });
  it('offers a limited number of very many names, and their common prefix', async () => {
    const many = Array.from({ length: 700 }, (_, at) => aBackupRepository({ name: `r${String(at).padStart(3, '0')}` }));
    const { stdout } = await setUp(many).answer('repo', 'check', 'r');
    const words = stdout.split('\n').slice(0, -2);
    expect(words).toHaveLength(completionLimits.candidatesMax);
    expect(words.at(-1)).toMatch(/^r699\t/);
  });
  it('offers nothing with control sequences of a terminal', async () => {
    const bad = aBackupStorageLocation({ name: 'x', status: { phase: 'Avail\u001b[2Jable' as 'Available' } });
    const { stdout } = await setUp([bad]).answer('backup-location', 'get', 'x');
    expect(stdout).toBe('x\tAvail[2Jable\n:4\n');
  });
});

describe('a cluster that fails', () => {
  it.each(['KUBE_FORBIDDEN', 'KUBE_UNAVAILABLE'] as const)(
    '%s: nothing is offered, and no error is printed',
    async (code) => {
      const { cluster, answer } = setUp();
      cluster.failOnce('list', backupStorageLocationType, code);
      expect(await answer('backup-location', 'get', '')).toEqual({
        code: 0,
        stdout: ':4\n',
        stderr: '',
        asked: [],
        connected: true,
      });
    },
  );
  it('has two seconds to answer, then the request is aborted', async () => {
    const { cluster, clock, answer } = setUp();
    let signal: AbortSignal | undefined;
    Object.assign(cluster, {
      list: (_type: unknown, options: { signal?: AbortSignal }) => {
        signal = options.signal;
        return new Promise(() => {});
      },
    });
    const ran = answer('backup-location', 'get', '');
    await clock.advance(completionLimits.answerMs - 1);
    expect(signal?.aborted).toBe(false);
    await clock.advance(1);
    expect(await ran).toEqual({ code: 0, stdout: ':4\n', stderr: '', asked: [], connected: true });
    expect(signal?.aborted).toBe(true);
  });
  it('is not asked when it has nothing to offer', async () => {
    const { cluster, clock } = setUp();
    const world = { clock, random: seededRandom(), kube: cluster };
    await runForTests(world, ['__complete', 'repo', 'get', '-o', '']);
    await letWorkRun();
    expect(cluster.calls).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});
