import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RoleRig, startRoleRig, takesRoles } from '../roles/role-rig.ts';

let rig: RoleRig;
describe.skipIf(!takesRoles)('keys from a role', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    rig = await startRoleRig();
  }, 900_000);
  afterAll(() => rig?.[Symbol.asyncDispose]());

  it.each([
    ['roleInSecret', 'sts'],
    ['serviceAccount', 'sts'],
    ['podIdentity', 'agent'],
    ['node', 'node'],
  ] as const)('our own store writes, lists, reads and deletes: %s', async (source, by) => {
    const before = rig.aws.issued.length;
    expect(await rig.ownStore(rig.sources[source])).toEqual({ keys: ['own/object'], read: 'of the store' });
    expect(rig.aws.issued.slice(before).map((issued) => issued.by)).toEqual([by]);
    expect(rig.aws.refusals).toEqual([]);
  });

  it('restic is rejected before it starts when only EKS Pod Identity provides keys, which restic does not support', async () => {
    const engines = await rig.engines(rig.sources.podIdentity);
    await expect(engines.engines.restic.initialise()).rejects.toMatchObject({
      code: 'LOCATION_UNSUPPORTED',
      message: 'restic cannot get keys by EKS Pod Identity',
    });
    expect(engines.seen).toEqual([]);
    expect(await engines.leftovers()).toEqual([]);
  });
});
