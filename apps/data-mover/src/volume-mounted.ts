import { AppError } from '@lateen/errors';
import { mountAt, parseMountInfo } from '@lateen/kernel';

/**
 * Makes sure that a volume is mounted at `volumePath`, from the text of /proc/self/mountinfo. Otherwise an empty directory of the
 * image would be backed up as if it were the volume, and a restore would write to the pod's own disk. The same could happen with
 * the directory in which the kubelet mounts the volume of another pod: after a restart of the node, or when somebody has
 * unmounted the volume, that directory is empty and on the disk of the node.
 * @throws VOLUME_NOT_MOUNTED
 */
export function mustBeMounted(volumePath: string, mountinfo: string): void {
  const wanted = volumePath.replace(/\/+$/, '') || '/';
  const root = mountAt(parseMountInfo(mountinfo), wanted)?.root ?? '';
  if (root === '' || wanted === '/')
    throw new AppError('VOLUME_NOT_MOUNTED', `no volume is mounted at ${volumePath}`, {
      nextStep:
        'Check the volumes and volumeMounts of this pod; node-agent mounts the volume under the UID of its object.',
    });
  if (isMountPointOfKubelet.test(root))
    throw new AppError(
      'VOLUME_NOT_MOUNTED',
      `the volume is not mounted on its node: ${root} is an empty place for it`,
      {
        nextStep: 'Restart the pod of the volume, so that the kubelet mounts it, and start again.',
      },
    );
}

/**
 * Where a kubelet mounts volumes with a file system of their own; `mountinfo` names such a directory only when nothing is mounted
 * there. Directories of other plugins, such as emptyDir, are the volume themselves.
 */
const isMountPointOfKubelet =
  /\/volumes\/kubernetes\.io~(csi\/[^/]+\/mount|(nfs|local-volume|iscsi|fc|cephfs|rbd|glusterfs)\/[^/]+)$/;
