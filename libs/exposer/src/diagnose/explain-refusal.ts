import { AppError, isAppError } from '@lateen/errors';

type Row = readonly [RegExp, (found: RegExpExecArray) => string];

/**
 * Messages of the API server when it refuses an object (apiserver admission plugins, RBAC authorizer), and the next step for
 * each. All of them have the same status code, so the message decides.
 */
const rows: readonly Row[] = [
  [/exceeded quota: ([^,\s]+)/, ([, quota]) => `Raise ResourceQuota ${quota}, or delete objects that it counts.`],
  [
    /failed quota: ([^:\s]+): must specify/,
    ([, quota]) => `ResourceQuota ${quota} requires it: set podResources in the node-agent configuration.`,
  ],
  [
    /violates PodSecurity "([^"]+)".*hostPath/,
    () =>
      'Movers of pod volumes mount a directory of their node: label their namespace pod-security.kubernetes.io/enforce=privileged, or set podVolume.access to "claim-only" in the node-agent configuration.',
  ],
  [
    /violates PodSecurity "([^"]+)".*securityContext\.privileged=true/,
    () =>
      'Label the namespace of data movers pod-security.kubernetes.io/enforce=privileged, or remove privilegedFsBackup from the node-agent configuration.',
  ],
  [
    /violates PodSecurity "([^"]+)"/,
    () => 'Data movers run as root: label their namespace pod-security.kubernetes.io/enforce=baseline.',
  ],
  [
    /admission webhook "([^"]+)" denied/,
    ([, webhook]) => `Do what admission webhook ${webhook} asks for, or exempt the namespace from it.`,
  ],
  [
    /failed calling webhook "([^"]+)"/,
    ([, webhook]) => `Repair admission webhook ${webhook}, or remove its configuration: it does not answer.`,
  ],
  [
    /ValidatingAdmissionPolicy '([^']+)'/,
    ([, policy]) => `Do what ValidatingAdmissionPolicy ${policy} asks for, or exempt the namespace from it.`,
  ],
  [
    /(minimum|maximum) \S+ usage per PersistentVolumeClaim/,
    () => 'Change the LimitRange of that namespace: the volume has to be as large as its snapshot.',
  ],
  [
    /(minimum|maximum|max limit).* (usage|request ratio|to request).*per (Container|Pod)/,
    () => 'Fit podResources in the node-agent configuration to the LimitRange of that namespace.',
  ],
  [
    /serviceaccount "?([^"\s]+?)"? not found/,
    ([, account]) => `Create ServiceAccount ${account}: hosting pods take it over from DaemonSet node-agent.`,
  ],
  [
    /no PriorityClass with name (\S+)/,
    ([, name]) => `Create PriorityClass ${name}, or correct priorityClassName in the node-agent configuration.`,
  ],
  [/because it is being terminated/, () => 'The namespace is being deleted: nothing can be made there any more.'],
  [
    /User "([^"]+)" cannot (\w+) resource "([^"]+)"/,
    ([, user, verb, resource]) => `Let ${user} ${verb} ${resource}: apply deploy/base/node-agent/rbac.yaml again.`,
  ],
];

/** The same error with a next step, if it is a refusal of the API server that we know; any other error unchanged. */
export function explainRefusal(error: unknown): unknown {
  if (!isAppError(error) || !error.code.startsWith('KUBE_')) return error;
  for (const [pattern, nextStep] of rows) {
    const found = pattern.exec(error.message);
    if (found === null) continue;
    const { code, message, retry, details } = error;
    return new AppError(code, message, { retry, details, cause: error, nextStep: nextStep(found) });
  }
  return error;
}
