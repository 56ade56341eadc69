import type { World } from '../../world/world.ts';
import type { Fault } from '../fault.ts';
import { nodeIsSilent, told } from '../injections.ts';

const held = (world: World) => {
  world.storage.holdVolumes = true;
};
const cannotBe = 'volume of PersistentVolumeClaim velero/upload cannot be provisioned:';
const rpc = 'failed to provision volume with StorageClass "lateen": rpc error:';

const notProvisioned = (name: string, words: string, nextStep: string): Fault => ({
  name,
  direction: 'upload',
  setUp: held,
  inject: (world) => {
    told(
      world,
      'claim',
      'ExternalProvisioning',
      "Waiting for a volume to be created either by the external provisioner 'csi.lateen.dev' or manually by the system administrator.",
    );
    told(world, 'claim', 'Provisioning', 'External provisioner is provisioning volume for claim "velero/upload"');
    told(world, 'claim', 'ProvisioningFailed', words, 'csi.lateen.dev_node-1');
  },
  ends: 'stuck',
  message: `${cannotBe} ${words}. ${nextStep}`,
});

/** The copy of the snapshot, or the volume to restore into, is not provisioned. */
export const provisioningFaults: readonly Fault[] = [
  notProvisioned(
    'the storage is full',
    `${rpc} code = ResourceExhausted desc = not enough free space: 512Mi of 1Gi`,
    'Make room on the storage behind this StorageClass.',
  ),
  notProvisioned(
    'the snapshot is gone from the storage',
    `${rpc} code = NotFound desc = snapshot snapshot-handle does not exist`,
    'The snapshot is gone from the storage: take a new one.',
  ),
  notProvisioned(
    'the CSI driver refuses the parameters of the class',
    `${rpc} code = InvalidArgument desc = unknown parameter "tier"`,
    'Check the parameters of the StorageClass.',
  ),
  notProvisioned(
    'the CSI driver has no credentials for its storage',
    `${rpc} code = Unauthenticated desc = login failed`,
    'Check the credentials of the CSI driver, named by the StorageClass.',
  ),
  notProvisioned(
    'the CSI driver does not answer',
    `${rpc} code = DeadlineExceeded desc = context deadline exceeded`,
    'The CSI driver does not answer in time: check that it runs, and its log.',
  ),
  {
    name: 'the CSI driver said why once, and only that it is busy since',
    direction: 'upload',
    setUp: held,
    inject: async (world) => {
      told(world, 'claim', 'ProvisioningFailed', `${rpc} code = ResourceExhausted desc = pool "fast" is full`);
      await world.clock.advance(5_000);
      told(
        world,
        'claim',
        'ProvisioningFailed',
        `${rpc} code = Aborted desc = an operation for this volume is in progress`,
      );
    },
    ends: 'stuck',
    message: `${cannotBe} ${rpc} code = ResourceExhausted desc = pool "fast" is full. Make room on the storage behind this StorageClass.`,
  },
  {
    name: 'the storage class was deleted after the claim was made',
    direction: 'upload',
    setUp: held,
    inject: (world) =>
      told(
        world,
        'claim',
        'ProvisioningFailed',
        'storageclass.storage.k8s.io "lateen" not found',
        'persistentvolume-controller',
      ),
    ends: 'stuck',
    message: `${cannotBe} storageclass.storage.k8s.io "lateen" not found. Create that StorageClass, or name another one.`,
  },
  {
    name: 'no provisioner runs',
    direction: 'upload',
    setUp: held,
    inject: (world) =>
      told(
        world,
        'claim',
        'ExternalProvisioning',
        "Waiting for a volume to be created either by the external provisioner 'csi.lateen.dev' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.",
        'persistentvolume-controller',
      ),
    ends: 'stuck',
    message:
      'PersistentVolumeClaim velero/upload has no volume yet (StorageClass lateen): no provisioner of csi.lateen.dev has started to create it. Check that the CSI driver csi.lateen.dev runs with its csi-provisioner, and its log.',
  },
  {
    name: 'the node that the volume has to be made on is not ready',
    direction: 'upload',
    world: { bindingMode: 'WaitForFirstConsumer' },
    setUp: held,
    inject: (world) => nodeIsSilent(world, 'node-1'),
    ends: 'stuck',
    message:
      'PersistentVolumeClaim velero/upload has no volume yet: node node-1 is not ready: Kubelet stopped posting node status. Check node node-1 and its kubelet.',
  },
  {
    name: 'the volume to restore into is not made',
    direction: 'download',
    setUp: held,
    inject: (world) =>
      told(world, 'claim', 'ProvisioningFailed', `${rpc} code = ResourceExhausted desc = no space left on device`),
    ends: 'stuck',
    message: `volume of PersistentVolumeClaim velero/download cannot be provisioned: ${rpc} code = ResourceExhausted desc = no space left on device. Make room on the storage behind this StorageClass.`,
  },
];
