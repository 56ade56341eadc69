import type { FaultPlace } from './fault-place.ts';
import { aFaultClaim, aFaultPod } from './workloads.ts';

/** Latin-1, a line break, a backslash and bytes of no encoding, in names of files, of a folder and in a link target. */
const oddNames = `
cd /volumes/data
mkdir "$(printf 'd\\351j\\340')"
printf one > "$(printf 'd\\351j\\340/caf\\351')"
printf two > "$(printf 'line\\nbreak')"
printf three > "$(printf '\\377\\376')"
printf four > 'back\\slash'
ln -s "$(printf 'd\\351j\\340/caf\\351')" "$(printf 'li\\351n')"
sync`;
const listed = `cd /volumes/data; find . -mindepth 1 ! -path './.velero*' -printf '%p|%y|%l|%s\\0' | LC_ALL=C sort -z | od -An -v -tx1`;
const contents = `cd /volumes/data; find . -type f ! -path './.velero*' -exec cat {} + | wc -c; cat ./d*/*`;

/** A privileged pod that sees the kubelet's directories, and whose mounts the node sees. */
const aMounter = (image: string) => {
  const { spec, ...pod } = aFaultPod({
    name: 'mounter',
    image,
    annotations: { 'backup.velero.io/backup-volumes': '' },
  });
  const [main] = spec.containers;
  const path = '/var/lib/kubelet/pods';
  return {
    ...pod,
    spec: {
      ...spec,
      containers: [
        {
          ...main,
          securityContext: { privileged: true, runAsUser: 0 },
          volumeMounts: [{ name: 'pods', mountPath: path, mountPropagation: 'Bidirectional' }],
        },
      ],
      volumes: [{ name: 'pods', hostPath: { path } }],
    },
  };
};

export interface ContentOptions {
  name: string;
  /** StorageClass name of PersistentVolumes of type hostPath. */
  classOnNode: string;
}

/**
 * A backup of volumes with content that is hard to read, and two restores of it at the same time: names without an encoding, a folder of a
 * FUSE file system that denies even root, a volume that no container mounts, and a claim on a path of the node.
 */
export async function oddContents(place: FaultPlace, { name, classOnNode }: ContentOptions) {
  const { image } = place.lateen;
  const emptyDir = {};
  await place.create();
  await place.apply(
    aFaultClaim('on-node', { storageClassName: classOnNode }),
    aFaultPod({ name: 'names', image, volumes: { data: { emptyDir }, aside: { emptyDir } }, unmounted: ['aside'] }),
    aFaultPod({ name: 'closed', image }),
    aFaultPod({ name: 'on-node', image, volumes: { data: { persistentVolumeClaim: { claimName: 'on-node' } } } }),
    aMounter(image),
  );
  await place.ready('names', 'closed', 'on-node', 'mounter');
  await place.inPod('names', oddNames);
  await place.inPod('on-node', 'echo kept > /volumes/data/file');
  await place.inPod('closed', 'echo open > /volumes/data/open; mkdir /volumes/data/closed');
  const { uid } = (await place.pod('closed'))?.metadata ?? {};
  const closed = `/var/lib/kubelet/pods/${uid}/volumes/kubernetes.io~empty-dir/data/closed`;
  const mount = `exec 9<>/dev/fuse; mount -i -t fuse -o fd=9,rootmode=40000,user_id=1000,group_id=1000 sshfs ${closed}`;
  await place.inPod(
    'mounter',
    `(${mount}; exec sleep 1000) >/tmp/mount 2>&1 & sleep 1; cat /tmp/mount; mountpoint ${closed} || true`,
  );
  const before = [await place.inPod('names', listed), await place.inPod('names', contents)];
  await place.startBackup(name);
  const { status } = await place.backupEnd(name);
  const backups = await place.backupsOf(name);
  const [described, logs] = [await place.described('backup', name), await place.logs('backup', name)];
  await place.inPod('mounter', `umount ${closed}`);
  await place.inPod('on-node', 'rm /volumes/data/file');
  await place.lose();

  const both = ['one', 'two'].map((each) => `${name}-${each}`);
  await Promise.all(both.map((each) => place.startRestore(each, { backupName: name })));
  await Promise.all(both.map((each) => place.restoreEnd(each)));
  await place.ready('names', 'on-node');
  return {
    backup: status,
    ends: Object.fromEntries(backups.map((each) => [each.spec.pod.name, each.status])),
    described,
    logs,
    before,
    after: [await place.inPod('names', listed), await place.inPod('names', contents)],
    onNode: await place.inPod('on-node', 'cat /volumes/data/file'),
  };
}
