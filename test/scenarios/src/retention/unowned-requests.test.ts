import { backupRepositoryType, configMapType, jobType } from '@lateen/api-types';
import { forgetRequest } from '@lateen/maintenance';
import { aBackupRepository } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { namespace } from '../buckets/buckets.ts';
import { leftovers, type RetentionWorld, type RetentionWorldOptions, retentionWorld } from './retention-world.ts';
import { snapshot } from './store-everything.ts';

const minuteMs = 60_000;
const repositoryName = 'app-default-kopia';
const request = (name: string, letter: string) =>
  forgetRequest({ name, namespace, repositoryName, snapshotIDs: [snapshot(letter)] });

/** Two requests without an owner, and another snapshot. */
function world(options: RetentionWorldOptions = {}): RetentionWorld {
  const made = retentionWorld({
    objects: [aBackupRepository(), request('forget-1', 'a'), request('forget-2', 'b')],
    ...options,
  });
  made.repositories.set('app/kopia', new Set([snapshot('a'), snapshot('b'), snapshot('f')]));
  return made;
}

const left = ({ repositories }: RetentionWorld) =>
  [...(repositories.get('app/kopia') ?? [])].map((id) => id.slice(0, 1));

describe('a request to forget without an owner', () => {
  it('is executed and deleted', async () => {
    const here = world();
    here.start();
    await here.run(minuteMs);
    expect(left(here)).toEqual(['f']);
    expect(leftovers(here)).toEqual([]);
    expect(here.jobs.length).toBeLessThanOrEqual(2);
    expect(here.cluster.calls.filter(({ verb, type }) => verb === 'create' && type === jobType)).toHaveLength(
      here.jobs.length,
    );
  });

  it('is executed also when it is created later', async () => {
    const here = world({ objects: [aBackupRepository()] });
    here.start();
    await here.run(minuteMs);
    here.cluster.put(request('forget-1', 'a'));
    await here.run(minuteMs);
    expect(left(here)).toEqual(['b', 'f']);
    expect(leftovers(here)).toEqual([]);
  });

  it('is tried again an hour after its Job failed, and reports the cause', async () => {
    let fails = true;
    const message = 'the repository does not open with the repository password';
    const here = world({ fault: () => (fails ? { code: 'REPOSITORY_PASSWORD_WRONG', message } : undefined) });
    here.start();
    await here.run(50 * minuteMs);
    const before = here.jobs.length;
    expect(before).toBeLessThanOrEqual(2);
    expect(leftovers(here)).toEqual(['ConfigMap forget-1', 'ConfigMap forget-2']);
    const text = `error forgetting snapshots in repository ${repositoryName}: ${message}`;
    expect(new Set(here.events())).toEqual(new Set([`ForgettingFailed: ${text}`]));
    expect(here.log.lines.filter(({ fields }) => fields?.reason === text)).toHaveLength(2);
    fails = false;
    await here.run(20 * minuteMs);
    expect(here.jobs.length).toBeGreaterThan(before);
    expect(left(here)).toEqual(['f']);
    expect(leftovers(here)).toEqual([]);
  });

  it('is deleted when its BackupRepository no longer exists, and that is reported', async () => {
    const here = world({ objects: [request('forget-1', 'a')] });
    here.start();
    await here.run(minuteMs);
    expect(here.jobs).toEqual([]);
    expect(leftovers(here)).toEqual([]);
    expect(JSON.stringify(here.log.lines)).toContain('their BackupRepository does not exist any more');
  });

  it('is deleted within an hour when its BackupRepository is deleted while it waits', async () => {
    const here = world({ fault: () => ({ code: 'X', message: 'no' }) });
    here.start();
    await here.run(minuteMs);
    here.cluster.remove(backupRepositoryType, { namespace, name: repositoryName });
    await here.run(61 * minuteMs);
    expect(leftovers(here)).toEqual([]);
  });

  it('is not touched when it has an owner, or is another kind of ConfigMap', async () => {
    const owned = request('forget-1', 'a');
    owned.metadata.ownerReferences = [{ apiVersion: 'v1', kind: 'Namespace', name: 'x', uid: 'x' }];
    const none = { ...request('forget-2', 'b'), data: {} };
    const here = world({ objects: [aBackupRepository(), none] });
    here.cluster.put(owned);
    here.start();
    await here.run(minuteMs);
    expect(here.jobs).toEqual([]);
    expect(here.cluster.find(configMapType, { namespace, name: 'forget-2' })).toBeDefined();
  });

  it('is executed, whichever write the controller dies at', async () => {
    const whole = world();
    const one = whole.start();
    await whole.run(minuteMs);
    const calls = one.writes();
    expect(calls).toBeGreaterThan(2);
    for (let atWrite = 0; atWrite < calls; atWrite++) {
      for (const when of ['before', 'after'] as const) {
        const here = world();
        const first = here.start({ atWrite, when });
        await here.run(5_000);
        await first.stop();
        here.start();
        await here.run(2 * minuteMs);
        const where = `dead ${when} call ${atWrite}`;
        expect(left(here), where).toEqual(['f']);
        expect(leftovers(here), where).toEqual([]);
      }
    }
  });
});
