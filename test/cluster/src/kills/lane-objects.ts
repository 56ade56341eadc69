import type { PersistentVolumeClaim, Pod } from '@lateen/api-types';

interface Where {
  namespace: string;
  storageClass: string;
  image: string;
}

const size = '256Mi';

export function claim(
  { namespace, storageClass }: Where,
  name: string,
  { dynamic }: { dynamic: boolean },
): PersistentVolumeClaim {
  const matchLabels = { 'velero.io/dynamic-pv-restore': `${namespace}.${name}.kills` };
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace, name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: storageClass,
      resources: { requests: { storage: size } },
      ...(dynamic ? { selector: { matchLabels } } : {}),
    },
  };
}

/** 2,000 small files in 20 folders, links, and 48 MB that can be neither compressed nor deduplicated. */
const fill = [
  'set -e',
  'cd /data',
  'for d in $(seq 20); do mkdir -p dir-$d; for f in $(seq 100); do echo "$d $f $RANDOM" > dir-$d/file-$f; done; done',
  'for b in 1 2 3; do head -c 16000000 /dev/urandom > big-$b; done',
  'ln -s dir-1/file-1 symlink; ln dir-2/file-2 hardlink; chmod 4751 dir-3/file-3; chown 1234:5678 dir-4',
  // restic keeps the time of the root only to the microsecond.
  'touch --date=@1700000000 .',
  'sync -f /data',
].join('\n');

/** Names, types, modes, owners, times, link counts and contents, as one SHA-256. */
const digest = [
  'cd /data',
  "(find . -path ./lost+found -prune -o -printf '%P|%y|%m|%U|%G|%T@|%l\\n' | LC_ALL=C sort;",
  "find . -type f -printf '%P|%n|%s\\n' | LC_ALL=C sort;",
  'find . -type f -print0 | LC_ALL=C sort -z | xargs -0 -r sha256sum) | sha256sum | cut -c1-64 > /dev/termination-log',
].join('\n');

/** Fills the volume and prints its digest. */
export function fillPod(where: Where, volume: string, node: string): Pod {
  const pod = oncePod(where, volume, `${fill}\n${digest}`);
  return { ...pod, spec: { ...pod.spec, nodeSelector: { 'kubernetes.io/hostname': node } } };
}

/** Writes the digest of the volume to its termination message. */
export const digestPod = (where: Where, volume: string): Pod => oncePod(where, volume, digest);

function oncePod({ namespace, image }: Where, volume: string, script: string): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name: volume },
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          name: 'once',
          image,
          imagePullPolicy: 'IfNotPresent',
          command: ['bash', '-c', script],
          volumeMounts: [{ name: 'data', mountPath: '/data' }],
        },
      ],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: volume } }],
    },
  };
}
