import { podType } from '@lateen/api-types';
import { execa } from 'execa';
import { afterAll, beforeAll } from 'vitest';
import { describeChangedBlocks } from './changed-blocks/describe-changed-blocks.ts';
import { describeChangedFiles } from './changed-blocks/describe-changed-files.ts';
import { type LateenUnderTest, lateenUnderTest } from './environment/provided-lateen.ts';

const namespace = 'lateen-csi';
const labelSelector = 'app.kubernetes.io/name=lateen-csi';

let lateen: LateenUnderTest;
beforeAll(async () => {
  lateen = await lateenUnderTest();
});
afterAll(() => lateen.kube.close());

/** Whether each node answers: kubelet mounts the certificate for it up to two minutes after the installation. */
async function isReady(): Promise<boolean> {
  const { items } = await lateen.kube.list(podType, { namespace, labelSelector });
  const logs = await Promise.all(
    items.map(({ metadata: { name = '' } }) =>
      execa(lateen.kubectl, [
        '--kubeconfig',
        lateen.kubeconfig,
        '-n',
        namespace,
        'logs',
        name,
        '-c',
        'lateen-volume-manager',
      ]),
    ),
  );
  return (
    logs.length > 0 &&
    logs.every(({ stdout }) => stdout.includes('block lists of snapshots are served to holders of the certificate'))
  );
}

const local = { driver: 'csi.lateen.dev', snapshotClass: 'lateen', isReady };
describeChangedBlocks({ ...local, storageClass: 'lateen' }, () => lateen);
describeChangedFiles({ ...local, storageClasses: { ext4: 'lateen', xfs: 'lateen-xfs' } }, () => lateen);
