import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RoleRig, startRoleRig, takesRoles } from '../roles/role-rig.ts';

let rig: RoleRig;

describe.skipIf(!takesRoles)('a key service that is busy when keys expire', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    rig = await startRoleRig();
  }, 900_000);
  afterAll(() => rig?.[Symbol.asyncDispose]());

  it.each([
    ['kopia', 'serviceAccount'],
    ['restic', 'serviceAccount'],
  ] as const)('does not make a backup with %s fail: %s', async (engine, source) => {
    const { engines, issued, roundTrip } = await rig.engines(rig.sources[source]);
    await engines[engine].initialise();
    rig.aws.refusals.length = 0;
    Object.assign(rig.aws, { lifeMs: 5_000, holdWrites: 1, busyAfterHold: 2 });
    expect(await roundTrip(engine, 'after a pause')).toBe('after a pause');
    // Without keys an engine sends an unsigned request, is rejected, and retries.
    expect(rig.aws.refusals.filter((why) => why === 'keys: busy')).toHaveLength(2);
    expect(rig.aws.refusals).toContain('s3: no signature');
    const all = issued();
    expect(all[all.findIndex(({ isOver }) => isOver) + 1]?.uses).toBeGreaterThan(0);
  });
});
