import { type BackupStorageLocation, backupStorageLocationType, chooseDefault } from '@lateen/api-types';
import { makeDefault, makeDefaultLimits } from '@lateen/operations/backup-location';
import { aBackupStorageLocation, FakeClock, fakeCluster, seededRandom } from '@lateen/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runForTests } from '../run-for-tests.ts';

const namespace = 'velero';

function location(name: string, isDefault: boolean, creationTimestamp = '2030-01-01T00:00:00Z') {
  return aBackupStorageLocation({
    name,
    spec: isDefault ? { default: true } : {},
    metadata: { name, namespace, creationTimestamp },
  });
}

function setUp(...objects: BackupStorageLocation[]) {
  const clock = new FakeClock('2030-01-02T00:00:00Z');
  const cluster = fakeCluster({ clock, objects });
  const world = { clock, random: seededRandom(), kube: cluster };
  const defaults = () =>
    cluster
      .all(backupStorageLocationType)
      .filter(({ spec }) => spec.default === true)
      .map(({ metadata }) => metadata.name);
  return { clock, cluster, world, defaults };
}

interface Person {
  verb: 'set' | 'create';
  name: string;
}

const wordsOf = ({ verb, name }: Person): string[] =>
  verb === 'set'
    ? ['backup-location', 'set', name, '--default']
    : ['backup-location', 'create', name, '--default', '--provider', 'aws', '--bucket', 'b'];

const existing = ['a', 'b', 'c'];
const startArbitrary = fc.tuple(
  ...existing.map(() => fc.record({ isDefault: fc.boolean(), day: fc.integer({ min: 1, max: 3 }) })),
);
const peopleArbitrary = fc.uniqueArray(
  fc.oneof(
    fc.record({ verb: fc.constant('set' as const), name: fc.constantFrom(...existing) }),
    fc.record({ verb: fc.constant('create' as const), name: fc.constantFrom('n1', 'n2', 'n3') }),
  ),
  { minLength: 2, maxLength: 4, selector: ({ name }) => name },
);

describe('making a location the default', () => {
  it('leaves exactly one, in whatever order the writes of several users arrive, and each user is told the final state', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), startArbitrary, peopleArbitrary, async (scheduler, start, people) => {
        const objects = start.map(({ isDefault, day }, at) =>
          location(existing[at] ?? '', isDefault, `2030-01-0${day}T00:00:00Z`),
        );
        const { cluster, world, defaults } = setUp(...objects);
        cluster.intercept(async (call, next) => {
          await scheduler.schedule(Promise.resolve(), `${call.verb} ${call.key.name ?? ''}`);
          return await next();
        });
        const all = Promise.all(people.map((person) => runForTests(world, wordsOf(person))));
        const ran = await scheduler.waitFor(all);
        const left = defaults();
        expect(left).toHaveLength(1);
        const winner = people.findIndex(({ name }) => name === left[0]);
        expect(ran[winner]).toMatchObject({ code: 0, stderr: '' });
        for (const { code, stderr } of ran)
          if (code !== 0) expect(stderr).toMatch(/but somebody else made ".*" the default at the same time/);
      }),
      { numRuns: 200 },
    );
  }, 120_000);

  it('removes the mark from several, and writes nothing when the state is as wanted', async () => {
    const { cluster, clock, defaults } = setUp(location('a', true), location('b', true), location('c', true));
    const { signal } = new AbortController();
    expect(await makeDefault({ kube: cluster, clock }, { namespace, name: 'b' }, signal)).toBe('b');
    expect(defaults()).toEqual(['b']);
    const before = cluster.calls.length;
    await makeDefault({ kube: cluster, clock }, { namespace, name: 'b' }, signal);
    expect(cluster.calls.slice(before).map(({ verb }) => verb)).toEqual(['list']);
  });

  it('continues after conflicts with writers of the status', async () => {
    const { cluster, clock, defaults } = setUp(location('a', true), location('b', false));
    cluster.failTimes(5, 'patch', backupStorageLocationType, 'KUBE_CONFLICT');
    await makeDefault({ kube: cluster, clock }, { namespace, name: 'b' }, new AbortController().signal);
    expect(defaults()).toEqual(['b']);
  });

  it('gives up after several conflicts, and restores the mark', async () => {
    const { cluster, clock, defaults } = setUp(location('a', true), location('b', false));
    let isFirst = true;
    cluster.intercept(async ({ verb, key, body }, next) => {
      const marks = JSON.stringify(body ?? '').includes('"default":true');
      if (verb === 'patch' && key.name === 'b' && marks) {
        isFirst = false;
        cluster.change<BackupStorageLocation>(backupStorageLocationType, { namespace, name: 'b' }, (object) => {
          object.status = { ...object.status, message: `${object.status?.message ?? ''}.` };
        });
      }
      return await next();
    });
    const made = makeDefault({ kube: cluster, clock }, { namespace, name: 'b' }, new AbortController().signal);
    await expect(made).rejects.toMatchObject({ code: 'DEFAULT_UNSETTLED' });
    expect(isFirst).toBe(false);
    expect(defaults()).toEqual(['a']);
    expect(cluster.calls.filter(({ verb }) => verb === 'list').length).toBeLessThan(makeDefaultLimits.roundsMax + 5);
  });

  it.each([
    ['the location vanishes', 'LOCATION_NOT_FOUND'],
    ['the API refuses', 'KUBE_FORBIDDEN'],
    ['the person stops it', 'STOPPED'],
  ])('restores the mark when %s between the two writes', async (what, code) => {
    const { cluster, clock, defaults } = setUp(location('a', true), location('b', false));
    const stop = new AbortController();
    cluster.intercept(async ({ verb, key }, next) => {
      const result = await next();
      if (verb === 'patch' && key.name === 'a' && defaults().length === 0) {
        if (what.startsWith('the location')) cluster.remove(backupStorageLocationType, { namespace, name: 'b' });
        else if (what.startsWith('the API'))
          cluster.failOnce('patch', ({ key: other }) => other.name === 'b', 'KUBE_FORBIDDEN');
        else stop.abort(Object.assign(new Error('Ctrl-C'), { code: 'STOPPED' }));
      }
      return result;
    });
    const made = makeDefault({ kube: cluster, clock }, { namespace, name: 'b' }, stop.signal);
    await expect(made).rejects.toMatchObject({ code });
    expect(defaults()).toEqual(['a']);
  });

  it('reports when the mark cannot be restored', async () => {
    const { cluster, clock } = setUp(location('a', true), location('b', false));
    let taken = false;
    cluster.intercept(async (call, next) => {
      if (taken) throw Object.assign(new Error('connection lost'), { code: 'KUBE_UNAVAILABLE' });
      const result = await next();
      taken = call.verb === 'patch';
      return result;
    });
    const made = makeDefault({ kube: cluster, clock }, { namespace, name: 'b' }, new AbortController().signal);
    await expect(made).rejects.toMatchObject({ code: 'DEFAULT_LOST' });
  });

  it('fails in Velero\u2019s words when the other location may not be changed, and creates nothing', async () => {
    const { cluster, world, defaults } = setUp(location('a', true), location('b', false));
    for (const person of [
      { verb: 'set', name: 'b' },
      { verb: 'create', name: 'new' },
    ] as const) {
      cluster.failOnce('patch', backupStorageLocationType, 'KUBE_FORBIDDEN');
      expect(await runForTests(world, wordsOf(person))).toMatchObject({
        code: 1,
        stdout: '',
        stderr:
          'An error occurred: there is already exist default backup storage location, please unset it first or do not set --default flag: injected by the test: KUBE_FORBIDDEN\n',
      });
    }
    expect(defaults()).toEqual(['a']);
    expect(cluster.all(backupStorageLocationType)).toHaveLength(2);
  });

  it('keeps the most recent of several, and of equally recent ones the first by name', () => {
    const nameOf = (...all: BackupStorageLocation[]) => chooseDefault(all)?.metadata.name;
    const [early, late] = ['2030-01-01T00:00:00Z', '2030-01-02T00:00:00Z'];
    expect(nameOf()).toBeUndefined();
    expect(nameOf(location('a', true, early), location('b', true, late))).toBe('b');
    expect(nameOf(location('b', true, late), location('a', true, late))).toBe('a');
  });
});
