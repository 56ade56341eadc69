import { annotations, type Container, type Deployment, labels, type PodSpec } from '@lateen/api-types';
import { AppError } from '@lateen/errors';

/** What a Job's pod takes over from the controller's Deployment, so that both have the same means (data-movement.md section 10). */
export interface InheritedTemplate {
  container: Pick<
    Container,
    'image' | 'imagePullPolicy' | 'env' | 'envFrom' | 'volumeMounts' | 'securityContext' | 'workingDir'
  >;
  pod: Pick<
    PodSpec,
    | 'serviceAccountName'
    | 'automountServiceAccountToken'
    | 'dnsPolicy'
    | 'dnsConfig'
    | 'hostAliases'
    | 'imagePullSecrets'
    | 'securityContext'
    | 'nodeSelector'
    | 'tolerations'
    | 'volumes'
  >;
  /** Only those by which a cloud gives its pods an identity; others select the controller's own pods. */
  labels: Readonly<Record<string, string>>;
  annotations: Readonly<Record<string, string>>;
  /** `--log-level=…` and `--log-format=…`, as far as the controller has them. */
  logArgs: readonly string[];
}

/** @throws MAINTENANCE_DEPLOYMENT_SHAPE when there is no container */
export function inheritedTemplate(deployment: Deployment): InheritedTemplate {
  const { metadata, spec } = deployment.spec.template;
  const container = spec.containers[0];
  if (container === undefined) {
    throw new AppError(
      'MAINTENANCE_DEPLOYMENT_SHAPE',
      `Deployment ${deployment.metadata.namespace}/${deployment.metadata.name} has no container`,
      { nextStep: 'Jobs for repositories are made from its first container; install the controller again.' },
    );
  }
  return {
    container: defined(container, [
      'image',
      'imagePullPolicy',
      'env',
      'envFrom',
      'volumeMounts',
      'securityContext',
      'workingDir',
    ]),
    pod: defined(spec, [
      'serviceAccountName',
      'automountServiceAccountToken',
      'dnsPolicy',
      'dnsConfig',
      'hostAliases',
      'imagePullSecrets',
      'securityContext',
      'nodeSelector',
      'tolerations',
      'volumes',
    ]),
    labels: pick(metadata?.labels, [labels.azureWorkloadIdentity]),
    annotations: pick(metadata?.annotations, [annotations.iamRole]),
    logArgs: ['--log-level', '--log-format'].flatMap((flag) => flagArgument(container, flag)),
  };
}

/** Finds `--flag value` and `--flag=value`; yields the second form. */
function flagArgument(container: Container, flag: string): string[] {
  const words = [...(container.command ?? []), ...(container.args ?? [])];
  const joined = words.find((word) => word.startsWith(`${flag}=`));
  if (joined !== undefined) return [joined];
  const value = words[words.indexOf(flag) + 1];
  return words.includes(flag) && value !== undefined ? [`${flag}=${value}`] : [];
}

function defined<T extends object, K extends keyof T>(object: T, keys: readonly K[]): Pick<T, K> {
  const present = keys.filter((key) => object[key] !== undefined);
  return Object.fromEntries(present.map((key) => [key, object[key]])) as Pick<T, K>;
}

function pick(from: Readonly<Record<string, string>> | undefined, keys: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(from ?? {}).filter(([key]) => keys.includes(key)));
}
