import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  backupRepositoryType,
  type Deployment,
  jobType,
  type KubeObject,
  repositoryCredentials,
  secretType,
} from '@lateen/api-types';
import { kubeError } from '@lateen/kube';
import { type OperationEnd, type OperationReport, reportLine } from '@lateen/maintenance';
import {
  aBackupRepository,
  aBackupStorageLocation,
  aDataUpload,
  aSecret,
  FakeClock,
  fakeCluster,
  jobActor,
  type RunningJob,
  seededRandom,
} from '@lateen/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { buildProgram } from '../program.ts';

const oldPassword = 'correct horse battery';
const newPassword = 'staple of the new year';
const otherPassword = 'a third one, never used';
const names = ['app-default-kopia', 'mail-default-kopia', 'shop-default-kopia'];

const controller: Deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'lateen-controller', namespace: 'velero' },
  spec: {
    selector: { matchLabels: {} },
    template: { spec: { containers: [{ name: 'c', image: 'localhost/lateen:dev' }] } },
  },
};

const objects = (): KubeObject[] => [
  controller,
  aBackupStorageLocation(),
  aSecret({ name: repositoryCredentials.name, values: { [repositoryCredentials.key]: `${oldPassword}\n` } }),
  ...names.map((name) => aBackupRepository({ name, spec: { volumeNamespace: name.split('-')[0] ?? '' } })),
];

const directories: string[] = [];
afterEach(async () => {
  for (const directory of directories.splice(0)) await rm(directory, { recursive: true });
});
async function fileWith(text: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'password-'));
  directories.push(directory);
  const path = join(directory, 'password');
  await writeFile(path, text);
  return path;
}

/** Repositories that open with one password each, and Jobs that change the password as the engines do. */
class Repositories {
  readonly passwords = new Map<string, string>(names.map((name) => [name, oldPassword]));
  /** Called before each change; an error that it throws is the Job's. */
  before: (name: string) => void | Promise<void> = () => {};
  readonly order: string[] = [];

  async change(job: RunningJob, secret: Readonly<Record<string, string>>): Promise<void> {
    const current = secret[repositoryCredentials.key] ?? '';
    const name = /--repo-name=(.*)/.exec(job.args[1] ?? '')?.[1] ?? '';
    await this.before(name);
    const key = /--new-password-key=(\S*)/.exec(job.args.join(' '))?.[1] ?? '';
    const wanted = secret[key] ?? '';
    const opensWith = this.passwords.get(name) ?? current;
    if (opensWith !== current && opensWith !== wanted) throw new Error('neither password opens it');
    this.order.push(name);
    this.passwords.set(name, wanted);
  }
}

function setUp(extra: KubeObject[] = [], answers: string[] = []) {
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const cluster = fakeCluster({ clock, objects: [...objects(), ...extra] });
  const repositories = new Repositories();
  const said: string[] = [];
  const asked: string[] = [];
  let stop = new AbortController();
  const secretKey = { namespace: 'velero', name: repositoryCredentials.name };
  const secret = (): Record<string, string> =>
    Object.fromEntries(
      Object.entries(cluster.find(secretType, secretKey)?.data ?? {}).map(([key, value]) => [
        key,
        Buffer.from(value, 'base64').toString().trim(),
      ]),
    );
  jobActor(cluster, async (job) => {
    // Maintenance: runs until the test ends it.
    if (job.args.length === 0) return await new Promise(() => {});
    const base = { operation: 'change-password', repository: '', durationMs: 1 } as const;
    const report = (end: object) => job.write(reportLine({ report: 'end', ...base, ...end } as OperationReport));
    try {
      await repositories.change(job, secret());
    } catch (error) {
      report({ succeeded: false, error: { code: 'X', message: (error as Error).message } } as Partial<OperationEnd>);
      return { exitCode: 1 };
    }
    report({ succeeded: true, result: { engine: 'kopia' } } as Partial<OperationEnd>);
    return undefined;
  });
  const write = (text: string) => said.push(text);
  const run = async (...words: string[]): Promise<string> => {
    said.splice(0);
    const context = {
      clock,
      random: seededRandom(),
      stdout: { write },
      stderr: { write },
      signal: stop.signal,
      connect: () => Promise.resolve(Object.assign(cluster, { stream: cluster.podLogs.stream.bind(cluster.podLogs) })),
      ...(answers.length === 0
        ? {}
        : { ask: (question: string) => answer(question), askSecret: (question: string) => answer(question) }),
    };
    const running = buildProgram(context, {}).parseAsync(['repo', 'change-password', ...words], { from: 'user' });
    let ended = false;
    running
      .catch(() => {})
      .finally(() => {
        ended = true;
      });
    // Files are read in real time.
    while (!ended) {
      await new Promise((resolve) => setImmediate(resolve));
      if (!ended && clock.nextDueInMs !== undefined) await clock.advance(Math.min(clock.nextDueInMs, 1_000));
    }
    await running;
    return said.join('');
  };
  const answer = (question: string) => {
    asked.push(question);
    return Promise.resolve(answers.shift() ?? '');
  };
  const ctrlC = () => stop.abort(new Error('interrupted by SIGINT'));
  const forget = () => {
    stop = new AbortController();
  };
  return { clock, cluster, repositories, run, secret, said, asked, ctrlC, forget };
}

const everybodyHas = (world: ReturnType<typeof setUp>, password: string) => {
  expect([...world.repositories.passwords.values()]).toEqual(names.map(() => password));
  expect(world.secret()[repositoryCredentials.key]).toBe(password);
  expect(world.secret()[`${repositoryCredentials.key}-next`]).toBeUndefined();
  expect(world.cluster.all(jobType)).toEqual([]);
};

/** The invariant: at every moment, a known password opens each repository. */
const eachOpensWithAKnownOne = (world: ReturnType<typeof setUp>) => {
  const known = Object.values(world.secret());
  for (const password of world.repositories.passwords.values()) expect(known).toContain(password);
};

describe('lateen repo change-password', () => {
  it('asks twice, changes every repository, then the Secret, and keeps the old password', async () => {
    const world = setUp([], [newPassword, newPassword, 'y']);
    const text = await world.run();
    everybodyHas(world, newPassword);
    const kept = Object.entries(world.secret()).filter(([, value]) => value === oldPassword);
    expect(kept.map(([key]) => key)).toEqual([
      expect.stringMatching(new RegExp(`^${repositoryCredentials.key}-before-20300101T0000\\d\\dZ$`)),
    ]);
    expect(text).toContain('3 repositories have the new password');
    expect(world.asked.at(-1)).toMatch(/^Change the password of 3 repositories\? Other clusters/);
  });

  it('reads the new password from a file, without its line break', async () => {
    const world = setUp();
    await world.run('--password-file', await fileWith(`${newPassword}\r\n`), '--confirm');
    everybodyHas(world, newPassword);
  });

  it('prints no password, neither on the terminal nor in a call other than of Secrets', async () => {
    const world = setUp([], [newPassword, newPassword, 'y']);
    const text = await world.run();
    const calls = world.cluster.calls.filter(({ type }) => type.kind !== 'Secret');
    for (const place of [text, world.asked.join(), JSON.stringify(calls), JSON.stringify(world.cluster.all(jobType))])
      for (const password of [oldPassword, newPassword]) expect(place).not.toContain(password);
  });

  it('continues after a failure; until then a password of the Secret opens each repository', async () => {
    const world = setUp();
    const flags = ['--password-file', await fileWith(newPassword), '--confirm'];
    world.repositories.before = (name) => {
      if (name === 'mail-default-kopia') throw new Error('the bucket is away');
    };
    await expect(world.run(...flags)).rejects.toMatchObject({
      code: 'PASSWORD_CHANGE_UNFINISHED',
      message: '1 repositories were given the new password; changing mail-default-kopia failed: the bucket is away',
      nextStep: expect.stringMatching(/Continue with.*--undo.*--skip mail-default-kopia/),
    });
    eachOpensWithAKnownOne(world);
    expect(world.secret()[repositoryCredentials.key]).toBe(oldPassword);
    // The controller reports the repository that the current password no longer opens.
    world.cluster.change(backupRepositoryType, { namespace: 'velero', name: 'app-default-kopia' }, (repository) => {
      repository.status = { phase: 'NotReady', message: 'wrong password' };
    });
    world.repositories.before = () => {};
    expect(await world.run('--confirm')).toContain('Continuing a change that was interrupted.');
    everybodyHas(world, newPassword);
  });

  it('reverts an interrupted change with --undo', async () => {
    const world = setUp();
    world.repositories.before = (name) => {
      if (name === 'shop-default-kopia') throw new Error('broken');
    };
    await expect(world.run('--password-file', await fileWith(newPassword), '--confirm')).rejects.toMatchObject({
      code: 'PASSWORD_CHANGE_UNFINISHED',
    });
    world.repositories.before = () => eachOpensWithAKnownOne(world);
    await world.run('--undo', '--confirm');
    everybodyHas(world, oldPassword);
  });

  it('skips the repositories of --skip: a password of the Secret still opens them', async () => {
    const world = setUp();
    const flags = ['--password-file', await fileWith(newPassword), '--confirm', '--skip', 'repo/mail-default-kopia'];
    await world.run(...flags);
    expect(world.repositories.passwords.get('mail-default-kopia')).toBe(oldPassword);
    expect(world.secret()[repositoryCredentials.key]).toBe(newPassword);
    eachOpensWithAKnownOne(world);
  });

  it('on Ctrl-C completes the repository in progress and then stops, and can be continued', async () => {
    const world = setUp();
    world.repositories.before = async (name) => {
      if (name !== 'mail-default-kopia') return;
      await world.clock.sleep(2_000);
      world.ctrlC();
      await world.clock.sleep(5_000);
    };
    await expect(world.run('--password-file', await fileWith(newPassword), '--confirm')).rejects.toMatchObject({
      code: 'INTERRUPTED',
      message: 'stopped: 2 repositories were given the new password',
    });
    expect(world.said.join('')).toContain('the repository in progress is finished first');
    expect([...world.repositories.passwords.values()]).toEqual([newPassword, newPassword, oldPassword]);
    eachOpensWithAKnownOne(world);
    world.repositories.before = () => {};
    world.forget();
    await world.run('--confirm');
    everybodyHas(world, newPassword);
  });

  it('leaves the Job running when it cannot be watched: killing the engine could leave a repository that no password opens', async () => {
    const world = setUp();
    let isAway = false;
    world.repositories.before = async () => {
      isAway = true;
      await world.clock.sleep(400_000);
    };
    const back = world.cluster.intercept((call, next) => {
      if (isAway && call.verb !== 'create') throw kubeError('KUBE_UNAVAILABLE', 'connection refused');
      return next();
    });
    await expect(world.run('--password-file', await fileWith(newPassword), '--confirm')).rejects.toMatchObject({
      code: 'PASSWORD_CHANGE_UNFINISHED',
    });
    back();
    expect(world.cluster.all(jobType)).toHaveLength(1);
    expect(world.said.join('')).toMatch(/Job velero\/app-default-kopia-change-password-job-\d+ continues/);
    isAway = false;
    await expect(world.run('--confirm')).rejects.toMatchObject({ code: 'PASSWORD_CHANGE_REFUSED' });
    await world.clock.advance(400_000);
    await world.run('--confirm');
    expect(world.repositories.passwords.get('shop-default-kopia')).toBe(newPassword);
  });

  it('changes repositories too that are created meanwhile', async () => {
    const world = setUp();
    world.repositories.before = (name) => {
      if (name !== 'shop-default-kopia') return;
      world.repositories.passwords.set('zoo-default-kopia', oldPassword);
      world.cluster.put(aBackupRepository({ name: 'zoo-default-kopia', spec: { volumeNamespace: 'zoo' } }));
    };
    await world.run('--password-file', await fileWith(newPassword), '--confirm');
    expect(world.repositories.passwords.get('zoo-default-kopia')).toBe(newPassword);
  });

  it.each(['before', 'during'])('skips a repository that is deleted %s its turn, and reports it', async (when) => {
    const world = setUp();
    const key = { namespace: 'velero', name: 'mail-default-kopia' };
    world.repositories.before = (name) => {
      if (name === (when === 'before' ? 'app-default-kopia' : key.name))
        world.cluster.remove(backupRepositoryType, key);
      // The error of a Job that does not find its object.
      if (name === key.name) throw new Error('BackupRepository velero/mail-default-kopia does not exist');
    };
    const text = await world.run('--password-file', await fileWith(newPassword), '--confirm');
    expect(text).toContain('mail-default-kopia was deleted meanwhile');
    expect(text).toContain('2 repositories have the new password');
    world.repositories.passwords.delete(key.name);
    expect([...world.repositories.passwords.values()]).toEqual([newPassword, newPassword]);
    expect(world.secret()[repositoryCredentials.key]).toBe(newPassword);
    expect(Object.values(world.secret())).toContain(oldPassword);
  });

  it('gives the new password also to a repository that was created again under an earlier name', async () => {
    const world = setUp();
    let isFirst = true;
    world.repositories.before = (name) => {
      if (name !== 'mail-default-kopia' || !isFirst) return;
      isFirst = false;
      world.cluster.remove(backupRepositoryType, { namespace: 'velero', name });
      world.cluster.put(aBackupRepository({ name, uid: 'another', spec: { volumeNamespace: 'mail' } }));
      throw new Error('the Job was deleted');
    };
    expect(await world.run('--password-file', await fileWith(newPassword), '--confirm')).toContain(
      'mail-default-kopia was deleted meanwhile',
    );
    everybodyHas(world, newPassword);
  });

  it('waits for maintenance that started meanwhile; Ctrl-C ends that wait', async () => {
    const world = setUp();
    const maintaining = { namespace: 'velero', name: 'maintaining' };
    const begin = (name: string) => {
      if (name !== 'app-default-kopia') return;
      const labels = { 'velero.io/repo-name': 'mail-default-kopia' };
      world.cluster.put(aJob({ ...maintaining, labels }));
    };
    const later = (ms: number, what: () => unknown) => (name: string) => {
      begin(name);
      if (name === 'app-default-kopia') void world.clock.sleep(ms).then(what);
    };
    world.repositories.before = later(20_000, world.ctrlC);
    await expect(world.run('--password-file', await fileWith(newPassword), '--confirm')).rejects.toMatchObject({
      code: 'INTERRUPTED',
      message: 'stopped: 1 repositories were given the new password',
    });
    expect(world.said.join('')).toContain('is working on repository mail-default-kopia');
    world.cluster.remove(jobType, maintaining);
    world.forget();
    world.repositories.before = later(60_000, () => world.cluster.remove(jobType, maintaining));
    await world.run('--confirm');
    everybodyHas(world, newPassword);
  });

  it('keeps what another client wrote into the Secret meanwhile', async () => {
    const world = setUp();
    world.cluster.failOnce('update', secretType, 'KUBE_CONFLICT');
    await world.run('--password-file', await fileWith(newPassword), '--confirm');
    everybodyHas(world, newPassword);
  });

  it('can be completed when the last write fails: all repositories have the new password, the Secret both', async () => {
    const world = setUp();
    let updates = 0;
    const back = world.cluster.intercept((call, next) => {
      if (call.verb === 'update' && call.type === secretType && ++updates === 2) throw new Error('connection reset');
      return next();
    });
    await expect(world.run('--password-file', await fileWith(newPassword), '--confirm')).rejects.toMatchObject({
      code: 'PASSWORD_CHANGE_UNFINISHED',
    });
    eachOpensWithAKnownOne(world);
    back();
    await world.run('--confirm');
    everybodyHas(world, newPassword);
  });
});

const aJob = (metadata: KubeObject['metadata']): KubeObject =>
  ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata,
    spec: { template: { spec: { containers: [] } } },
  }) as KubeObject;

describe('lateen repo change-password rejects', () => {
  const upload = aDataUpload({ name: 'data-1', status: { phase: 'InProgress' } });
  const labels = { 'velero.io/repo-name': 'app-default-kopia' };
  const job = aJob({ name: 'maintaining', namespace: 'velero', labels });
  it.each<[string, KubeObject[], string]>([
    ['movements', [upload], 'DataUpload data-1 has not ended'],
    ['Jobs', [job], 'Job maintaining works on a repository'],
    [
      'read-only locations',
      [aBackupStorageLocation({ spec: { accessMode: 'ReadOnly' } })],
      'the location "default" of repository app-default-kopia is read-only',
    ],
    [
      'locations that are away',
      [aBackupStorageLocation({ phase: 'Unavailable' })],
      'the location "default" of repository app-default-kopia is unavailable',
    ],
    [
      'locations that are gone',
      [aBackupRepository({ name: 'x', spec: { backupStorageLocation: 'gone' } })],
      'the location "gone" of repository x does not exist',
    ],
    [
      'repositories that do not open',
      [aBackupRepository({ name: 'x', phase: 'NotReady', status: { message: 'bad keys' } })],
      'repository x is NotReady (bad keys)',
    ],
  ])('%s, before anything is changed or asked', async (_, extra, message) => {
    const world = setUp(extra, [newPassword, newPassword, 'y']);
    await expect(world.run()).rejects.toMatchObject({
      code: 'PASSWORD_CHANGE_REFUSED',
      message: expect.stringContaining(message),
    });
    expect(world.asked).toEqual([]);
    expect(Object.keys(world.secret())).toEqual([repositoryCredentials.key]);
    expect(world.repositories.order).toEqual([]);
  });

  it('allows ended movements', async () => {
    const world = setUp([aDataUpload({ name: 'data-1', status: { phase: 'Completed' } })]);
    await world.run('--password-file', await fileWith(newPassword), '--confirm');
    everybodyHas(world, newPassword);
  });

  it.each([
    ['', 'it is empty'],
    ['short', 'it has fewer than 12 characters'],
    ['static-passw0rd', 'it is publicly known'],
    [oldPassword, 'it is the one in use'],
    [' leading space here', 'white space at its ends would be lost'],
    ['two\nlines of text', 'it has a control character or more than one line'],
    ['x'.repeat(1025), 'it has more than 1024 bytes'],
  ])('the password %j, without repeating it', async (password, why) => {
    const world = setUp();
    const failure = await world
      .run('--password-file', await fileWith(password), '--confirm')
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'BAD_PASSWORD', message: `this cannot be the new password: ${why}` });
    expect(Object.keys(world.secret())).toEqual([repositoryCredentials.key]);
  });

  it('--skip of a repository that does not exist', async () => {
    const world = setUp();
    const flags = ['--password-file', await fileWith(newPassword), '--confirm', '--skip', 'mail-defualt-kopia'];
    await expect(world.run(...flags)).rejects.toMatchObject({ code: 'NO_SUCH_REPOSITORY' });
    expect(world.repositories.order).toEqual([]);
  });

  it('answers that differ, a no, and an input that is no terminal', async () => {
    await expect(setUp([], [newPassword, otherPassword]).run()).rejects.toMatchObject({ code: 'BAD_PASSWORD' });
    const unsure = setUp([], [newPassword, newPassword, 'n']);
    await expect(unsure.run()).rejects.toMatchObject({ code: 'NOT_CONFIRMED' });
    expect(Object.keys(unsure.secret())).toEqual([repositoryCredentials.key]);
    await expect(setUp().run()).rejects.toMatchObject({ code: 'BAD_FLAG' });
    await expect(setUp().run('--password-file', await fileWith(newPassword))).rejects.toMatchObject({
      code: 'BAD_FLAG',
      message:
        'the password of all repositories would be changed, which needs a confirmation, and there is no terminal to ask for it',
    });
    await expect(setUp().run('--password-file', '/nowhere', '--confirm')).rejects.toMatchObject({ code: 'BAD_FLAG' });
    await expect(setUp().run('--undo', '--confirm')).rejects.toMatchObject({ code: 'NOTHING_TO_UNDO' });
  });

  it('another password while a change is in progress', async () => {
    const world = setUp();
    world.repositories.before = () => {
      throw new Error('broken');
    };
    const flags = ['--confirm', '--password-file'];
    await expect(world.run(...flags, await fileWith(newPassword))).rejects.toThrow('broken');
    await expect(world.run(...flags, await fileWith(otherPassword))).rejects.toMatchObject({
      message: 'a change to another password is under way',
    });
    eachOpensWithAKnownOne(world);
  });

  it.each([
    ['is not there', undefined, 'does not exist'],
    ['is immutable', { immutable: true }, 'is immutable'],
    [
      'belongs to somebody',
      {
        metadata: {
          name: repositoryCredentials.name,
          namespace: 'velero',
          ownerReferences: [{ apiVersion: 'v1', kind: 'ExternalSecret', name: 'vault', uid: 'u' }],
        },
      },
      'belongs to ExternalSecret vault',
    ],
  ])('a Secret that %s', async (_, change, message) => {
    const world = setUp();
    const key = { namespace: 'velero', name: repositoryCredentials.name };
    const secret = world.cluster.find(secretType, key);
    world.cluster.remove(secretType, key);
    if (change !== undefined && secret !== undefined) world.cluster.put({ ...secret, ...change });
    await expect(world.run('--password-file', await fileWith(newPassword), '--confirm')).rejects.toMatchObject({
      code: 'PASSWORD_SECRET',
      message: expect.stringContaining(message),
    });
  });
});
