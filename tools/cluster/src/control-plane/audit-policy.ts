/** File name below the control plane's pki folder: the one folder of the host that its machine sees. */
export const auditPolicyFile = 'audit-policy.json';

/**
 * What kube-apiserver logs: the user, the call and whether it was allowed, for service accounts outside kube-system. Without bodies
 * (Metadata), so that no Secret is in the log. A test compares the log with the granted permissions. JSON, because the API server reads
 * that as YAML.
 */
export function auditPolicy(): string {
  const policy = {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived'],
    omitManagedFields: true,
    rules: [
      // The controller manager's loops also run as service accounts, and make many calls.
      { level: 'None', userGroups: ['system:serviceaccounts:kube-system'] },
      { level: 'Metadata', userGroups: ['system:serviceaccounts'] },
      { level: 'None' },
    ],
  };
  return `${JSON.stringify(policy, null, 2)}\n`;
}

export interface AuditOptions {
  policyFile: string;
  /** Written only by the API server; limited to three files of 64 MiB. */
  logFile: string;
}

export const auditArgs = ({ policyFile, logFile }: AuditOptions): string[] => [
  `--audit-policy-file=${policyFile}`,
  `--audit-log-path=${logFile}`,
  '--audit-log-format=json',
  '--audit-log-maxsize=64',
  '--audit-log-maxbackup=2',
];
