import { csi } from '@lateen/csi';
import { describe, expect, it } from 'vitest';
import { allowsNode, readParameters, readRange } from './request-fields.ts';
import { readCapabilities, readCapability } from './volume-capability.ts';

const mode = csi.VolumeCapability_AccessMode_Mode;
type Mode = csi.VolumeCapability_AccessMode_Mode;
const mount = (wanted: Mode, rest: Partial<csi.VolumeCapability_MountVolume> = {}): csi.VolumeCapability => ({
  mount: { fsType: '', mountFlags: [], volumeMountGroup: '', ...rest },
  accessMode: { mode: wanted },
});

describe('readCapability', () => {
  it.each([
    { wanted: mode.SINGLE_NODE_WRITER, readOnly: false, single: false },
    { wanted: mode.SINGLE_NODE_MULTI_WRITER, readOnly: false, single: false },
    { wanted: mode.SINGLE_NODE_SINGLE_WRITER, readOnly: false, single: true },
    { wanted: mode.SINGLE_NODE_READER_ONLY, readOnly: true, single: false },
    { wanted: mode.MULTI_NODE_READER_ONLY, readOnly: true, single: false },
  ])('mode $wanted is read-only: $readOnly, single: $single', ({ wanted, readOnly, single }) => {
    expect(readCapability(mount(wanted))).toEqual({ access: { kind: 'mount', flags: [] }, readOnly, single });
    expect(readCapability({ block: {}, accessMode: { mode: wanted } })).toEqual({
      access: { kind: 'block' },
      readOnly,
      single,
    });
  });

  it('treats ro among the mount flags as read-only', () => {
    expect(readCapability(mount(mode.SINGLE_NODE_WRITER, { mountFlags: ['ro'] })).readOnly).toBe(true);
  });

  it.each([
    { given: 'nothing', capability: undefined, says: 'missing' },
    {
      given: 'many writers',
      capability: mount(mode.MULTI_NODE_MULTI_WRITER),
      says: 'MULTI_NODE_MULTI_WRITER is not supported',
    },
    { given: 'one writer, many readers', capability: mount(mode.MULTI_NODE_SINGLE_WRITER), says: 'not supported' },
    { given: 'no mode', capability: { block: {}, accessMode: undefined }, says: 'UNKNOWN is not supported' },
    { given: 'no type', capability: { accessMode: { mode: mode.SINGLE_NODE_WRITER } }, says: 'no access type' },
    { given: 'btrfs', capability: mount(mode.SINGLE_NODE_WRITER, { fsType: 'btrfs' }), says: 'Use ext4 or xfs' },
    {
      given: 'a group',
      capability: mount(mode.SINGLE_NODE_WRITER, { volumeMountGroup: '1' }),
      says: 'volume_mount_group',
    },
    {
      given: 'a bind',
      capability: mount(mode.SINGLE_NODE_WRITER, { mountFlags: ['bind'] }),
      says: '"bind" is not allowed',
    },
  ])('rejects $given', ({ capability, says }) => {
    expect(() => readCapability(capability)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    const { message, nextStep } = catchError(() => readCapability(capability));
    expect(`${message} ${nextStep}`).toContain(says);
  });

  it('needs at least one', () => expect(() => readCapabilities([])).toThrow('volume_capabilities is empty'));
});

function catchError(run: () => unknown): { message: string; nextStep?: string } {
  try {
    run();
  } catch (error) {
    return error as { message: string };
  }
  throw new Error('nothing was thrown');
}

describe('request fields', () => {
  it('regard 0 as not set, and keep sizes exactly', () => {
    expect(readRange(undefined)).toEqual({});
    expect(readRange({ requiredBytes: 0n, limitBytes: 0n })).toEqual({});
    expect(readRange({ requiredBytes: 2n ** 50n, limitBytes: -1n })).toEqual({
      requiredBytes: 2 ** 50,
      limitBytes: -1,
    });
  });

  it('accept the parameter fsType and those of the provisioner, and no others', () => {
    expect(readParameters({ fsType: 'xfs', 'csi.storage.k8s.io/pvc/name': 'a' })).toEqual({ fileSystem: 'xfs' });
    expect(() => readParameters({ replicas: '3' })).toThrow('"replicas" is unknown');
  });

  const here: csi.Topology = { segments: { 'topology.csi.lateen.dev/node': 'node-1' } };
  const there: csi.Topology = { segments: { 'topology.csi.lateen.dev/node': 'node-2' } };
  it.each([
    { requirement: undefined, allowed: true },
    { requirement: { requisite: [], preferred: [] }, allowed: true },
    { requirement: { requisite: [there, here], preferred: [there] }, allowed: true },
    { requirement: { requisite: [there], preferred: [] }, allowed: false },
    { requirement: { requisite: [], preferred: [there] }, allowed: false },
    { requirement: { requisite: [{ segments: {} }], preferred: [] }, allowed: false },
  ])('topology $requirement allows this node: $allowed', ({ requirement, allowed }) => {
    expect(allowsNode(requirement, 'node-1')).toBe(allowed);
  });
});
