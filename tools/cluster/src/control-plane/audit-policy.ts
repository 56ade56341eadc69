/** File name below the control plane's pki folder: the one folder of the host that its machine sees. */
export const auditPolicyFile = 'audit-policy.json';

/**
 * What kube-apiserver writes down: who called what and whether it was allowed, for service accounts outside kube-system.
 * Bodies are left out (Metadata), so that no Secret gets into the log. A test compares this with the rights that are
 * granted; JSON, because the API server reads that as YAML.
 */
export function auditPolicy(): string {
  const policy = {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived'],
    omitManagedFields: true,
    rules: [
      // The controller manager's loops run as service accounts too, and call all the time.
      { level: 'None', userGroups: ['system:serviceaccounts:kube-system'] },
      { level: 'Metadata', userGroups: ['system:serviceaccounts'] },
      { level: 'None' },
    ],
  };
  return `${JSON.stringify(policy, null, 2)}\n`;
}

export interface AuditOptions {
  policyFile: string;
  /** Written to by the API server only; bounded to three files of 64 MiB. */
  logFile: string;
}

export const auditArgs = ({ policyFile, logFile }: AuditOptions): string[] => [
  `--audit-policy-file=${policyFile}`,
  `--audit-log-path=${logFile}`,
  '--audit-log-format=json',
  '--audit-log-maxsize=64',
  '--audit-log-maxbackup=2',
];
