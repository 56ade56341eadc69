import {
  annotations,
  type Container,
  type Deployment,
  labels,
  logArguments,
  type PodSpec,
  pickKeys,
  presentFields,
} from '@lateen/api-types';
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
    container: presentFields(container, [
      'image',
      'imagePullPolicy',
      'env',
      'envFrom',
      'volumeMounts',
      'securityContext',
      'workingDir',
    ]),
    pod: presentFields(spec, [
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
    labels: pickKeys(metadata?.labels, [labels.azureWorkloadIdentity]),
    annotations: pickKeys(metadata?.annotations, [annotations.iamRole]),
    logArgs: logArguments(container),
  };
}
