import { isAppError } from '@lateen/errors';
import { describe, expect, it } from 'vitest';
import { recordedSchema } from '../testing/fake-monitor.ts';
import { checkDaemon, missingFrom, usedByUs } from './check-daemon.ts';
import { QmpSchema } from './qmp-schema.ts';

type Recorded = { name: string; members?: { name: string }[] }[];
const releases = ['7.2.22', '10.0.2'] as const;
const answering = (schema: unknown) => ({ execute: async () => schema, onEvent: () => () => {} });
const version = (major: number, minor: number) => ({ major, minor, micro: 0, package: '' });

describe.each(releases)('the storage daemon of %s', (release) => {
  it('has all required features', async () => {
    expect(missingFrom(new QmpSchema(await recordedSchema(release)))).toEqual([]);
  });
  it.each(Object.keys(usedByUs))('is rejected without %s', async (command) => {
    const schema = ((await recordedSchema(release)) as Recorded).filter(({ name }) => name !== command);
    expect(missingFrom(new QmpSchema(schema))).toEqual([command]);
  });
  it('is rejected without an argument that Lateen uses, also one of NBD or qcow2', async () => {
    const without = new Set(['allocation-depth', 'top-node', 'backing', 'direct']);
    const schema = ((await recordedSchema(release)) as Recorded).map((entry) => ({
      ...entry,
      members: entry.members?.filter(({ name }) => !without.has(name)),
    }));
    expect(missingFrom(new QmpSchema(schema))).toEqual([
      ...['blockdev-add qcow2:backing', 'blockdev-add cache.direct'],
      ...['block-commit top-node', 'block-export-add nbd:allocation-depth'],
    ]);
  });
  it('cannot abort requests to an unresponsive peer (yank), so it is never used as a client of one', async () => {
    expect(new QmpSchema(await recordedSchema(release)).hasCommand('yank')).toBe(false);
  });
});

it.each([
  [version(7, 2), true, true, false],
  [version(9, 2), false, false, false],
  [version(10, 0), true, false, true],
  [version(11, 3), false, false, true],
])(
  'accepts a release with all features, and reports whether it was tested, is slow, and serves in a thread',
  async (given, tested, slowOverTcp, exportsInThread) => {
    const qmp = answering(await recordedSchema('10.0.2'));
    expect(await checkDaemon(qmp, given)).toEqual({ version: given, tested, slowOverTcp, exportsInThread });
  },
);

it('rejects an older release, and one with a missing feature, by name', async () => {
  const unfit = (given: ReturnType<typeof version>, schema: unknown) => checkDaemon(answering(schema), given);
  await expect(unfit(version(7, 1), [])).rejects.toThrow('qemu-storage-daemon 7.1 lacks release 7.2 or later');
  await expect(unfit(version(9, 0), [])).rejects.toSatisfy((error) => isAppError(error, 'STORAGE_DAEMON_UNFIT'));
});
