import { inMachine } from '../machine/machine-paths.ts';
import type { Program } from '../machine/start-program.ts';
import { clusterNetwork } from '../network/addresses.ts';
import { apiServerArgs } from './api-server-args.ts';
import { auditPolicy, auditPolicyFile } from './audit-policy.ts';
import { etcdArgs } from './etcd-args.ts';

/** Kubeconfig files in the control plane's pki folder, and their users. */
export const controlPlaneClients = {
  'kube-controller-manager': 'CN=system:kube-controller-manager',
  'kube-scheduler': 'CN=system:kube-scheduler',
  // Upstream's manifests have a ClusterRole for it; as a process of the control plane it is an administrator.
  'snapshot-controller': 'CN=lateen-snapshot-controller,O=system:masters',
} as const;

const etcdClientPort = 2379;
const kubeconfigOf = (name: keyof typeof controlPlaneClients): string => `${inMachine.pkiDir}/${name}.kubeconfig`;

export const etcdProgram: Program = {
  name: 'etcd',
  argv: [
    `${inMachine.binDir}/etcd`,
    ...etcdArgs({ dataDir: inMachine.etcdDir, clientPort: etcdClientPort, peerPort: 2380 }),
  ],
};

/** @param certificate text of the serving certificate: a new one needs a restart */
export function apiServerProgram(certificate: string): Program {
  const args = apiServerArgs({
    bindAddress: '0.0.0.0',
    advertiseAddress: clusterNetwork.controlPlaneAddress,
    port: clusterNetwork.apiServerPort,
    etcdUrl: `http://127.0.0.1:${etcdClientPort}`,
    pkiDir: inMachine.pkiDir,
    serviceSubnet: clusterNetwork.serviceSubnet,
    kubelets: true,
    audit: { policyFile: `${inMachine.pkiDir}/${auditPolicyFile}`, logFile: `${inMachine.auditLogDir}/audit.log` },
  });
  return {
    name: 'kube-apiserver',
    argv: [`${inMachine.binDir}/kube-apiserver`, ...args],
    configuration: [certificate, auditPolicy()],
  };
}

/** No leader election: there is one of each program, and waiting for a lease would take seconds at every start. */
export const controllerManagerProgram: Program = {
  name: 'kube-controller-manager',
  argv: [
    `${inMachine.binDir}/kube-controller-manager`,
    `--kubeconfig=${kubeconfigOf('kube-controller-manager')}`,
    `--authentication-kubeconfig=${kubeconfigOf('kube-controller-manager')}`,
    `--authorization-kubeconfig=${kubeconfigOf('kube-controller-manager')}`,
    `--root-ca-file=${inMachine.pkiDir}/ca.crt`,
    `--service-account-private-key-file=${inMachine.pkiDir}/service-account.key`,
    `--cluster-signing-cert-file=${inMachine.pkiDir}/ca.crt`,
    `--cluster-signing-key-file=${inMachine.pkiDir}/ca.key`,
    `--cert-dir=${inMachine.pkiDir}/kube-controller-manager`,
    '--use-service-account-credentials=true',
    '--allocate-node-cidrs=false',
    '--bind-address=127.0.0.1',
    '--leader-elect=false',
    '--kube-api-qps=200',
    '--kube-api-burst=400',
  ],
};

export const schedulerProgram: Program = {
  name: 'kube-scheduler',
  argv: [
    `${inMachine.binDir}/kube-scheduler`,
    `--kubeconfig=${kubeconfigOf('kube-scheduler')}`,
    `--authentication-kubeconfig=${kubeconfigOf('kube-scheduler')}`,
    `--authorization-kubeconfig=${kubeconfigOf('kube-scheduler')}`,
    `--cert-dir=${inMachine.pkiDir}/kube-scheduler`,
    '--bind-address=127.0.0.1',
    '--leader-elect=false',
    '--kube-api-qps=200',
    '--kube-api-burst=400',
  ],
};

export const snapshotControllerProgram: Program = {
  name: 'snapshot-controller',
  argv: [
    `${inMachine.binDir}/snapshot-controller`,
    `--kubeconfig=${kubeconfigOf('snapshot-controller')}`,
    '--leader-election=false',
    // Our csi-snapshotter runs on every node and handles only contents with its node's label, which this option adds.
    '--enable-distributed-snapshotting',
    // A snapshot that is deleted while it is being taken is completed at the next resync; the default is 15 m.
    '--resync-period=30s',
    '--kube-api-qps=100',
    '--kube-api-burst=200',
    '--retry-interval-start=200ms',
  ],
};

export interface S3Credentials {
  accessKey: string;
  secretKey: string;
}

export const s3Region = 'us-east-1';

/** The S3 server on a directory. The keys are in the environment, because all users can read the process table. */
export function s3Program({ accessKey, secretKey }: S3Credentials): Program {
  return {
    name: 'versitygw',
    argv: [
      `${inMachine.binDir}/versitygw`,
      `--port=:${clusterNetwork.s3Port}`,
      `--region=${s3Region}`,
      '--quiet',
      'posix',
      inMachine.s3Dir,
    ],
    env: { ROOT_ACCESS_KEY: accessKey, ROOT_SECRET_KEY: secretKey },
  };
}
