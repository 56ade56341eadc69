import { type AuditOptions, auditArgs } from './audit-policy.ts';

export interface ApiServerOptions {
  bindAddress: string;
  /** Address of the `kubernetes` Service's endpoint, which pods can reach. Absent: the API server chooses. */
  advertiseAddress?: string;
  port: number;
  etcdUrl: string;
  /** Folder with the files of {@link apiServerFiles}. */
  pkiDir: string;
  serviceSubnet: string;
  /** False when there is no kubelet. */
  kubelets: boolean;
  /** Absent: no audit log. */
  audit?: AuditOptions;
}

/** File names below `pkiDir`. */
export const apiServerFiles = {
  authority: 'ca.crt',
  certificate: 'apiserver.crt',
  key: 'apiserver.key',
  kubeletClientCertificate: 'apiserver-kubelet-client.crt',
  kubeletClientKey: 'apiserver-kubelet-client.key',
  signingKey: 'service-account.key',
  signingPublicKey: 'service-account.pub',
} as const;

/** Arguments of kube-apiserver: certificates, Node and RBAC authorization, privileged pods allowed. */
export function apiServerArgs(options: ApiServerOptions): string[] {
  const file = (name: keyof typeof apiServerFiles): string => `${options.pkiDir}/${apiServerFiles[name]}`;
  return [
    `--bind-address=${options.bindAddress}`,
    ...(options.advertiseAddress === undefined ? [] : [`--advertise-address=${options.advertiseAddress}`]),
    `--secure-port=${options.port}`,
    `--etcd-servers=${options.etcdUrl}`,
    `--cert-dir=${options.pkiDir}`,
    `--client-ca-file=${file('authority')}`,
    `--tls-cert-file=${file('certificate')}`,
    `--tls-private-key-file=${file('key')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-signing-key-file=${file('signingKey')}`,
    `--service-account-key-file=${file('signingPublicKey')}`,
    `--service-cluster-ip-range=${options.serviceSubnet}`,
    '--authorization-mode=Node,RBAC',
    '--allow-privileged=true',
    ...(options.kubelets ? kubeletArgs(file) : []),
    ...(options.audit === undefined ? [] : auditArgs(options.audit)),
    // Without cluster DNS and kube-proxy the API server reaches webhooks by their endpoints.
    '--enable-aggregator-routing=true',
    // A burst of a backup or restore must reach etcd's limits, not the API server's default fairness limits.
    '--max-requests-inflight=1600',
    '--max-mutating-requests-inflight=800',
  ];
}

const kubeletArgs = (file: (name: keyof typeof apiServerFiles) => string): string[] => [
  '--enable-admission-plugins=NodeRestriction',
  `--kubelet-certificate-authority=${file('authority')}`,
  `--kubelet-client-certificate=${file('kubeletClientCertificate')}`,
  `--kubelet-client-key=${file('kubeletClientKey')}`,
  '--kubelet-preferred-address-types=InternalIP',
];
