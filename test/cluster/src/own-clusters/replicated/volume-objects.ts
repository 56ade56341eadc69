import type { PersistentVolumeClaim, Pod } from '@lateen/api-types';

export function replicatedClaim(
  namespace: string,
  name: string,
  { storage, storageClass }: { storage: string; storageClass: string },
): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace, name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: storageClass,
      resources: { requests: { storage } },
    },
  };
}

/** A pod on that node that runs the script once with the claim at /data; its answer is what it writes to /dev/termination-log. */
export function podOn(
  where: { namespace: string; image: string; node: string },
  name: string,
  claim: string,
  script: string,
): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: where.namespace, name },
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 0,
      nodeSelector: { 'kubernetes.io/hostname': where.node },
      containers: [
        {
          name: 'once',
          image: where.image,
          imagePullPolicy: 'IfNotPresent',
          command: ['bash', '-c', `set -e; cd /data; ${script}`],
          volumeMounts: [{ name: 'data', mountPath: '/data' }],
        },
      ],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claim } }],
    },
  };
}
