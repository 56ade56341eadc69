import {
  cloudCredentials,
  controllerName,
  deploymentType,
  nodeAgentName,
  repositoryCredentials,
} from '@lateen/api-types';
import { inShort, namedByFlags, recordName, type TakeOverPlan, titleOfWork } from '@lateen/operations/installation';

/** The plan as text for the confirmation: what happens to which object, in the order of the steps. Pure. */
export function describePlan(plan: TakeOverPlan, namespace: string): string[] {
  const { replace, remove, bindings, waitFor, end, leave, keep, carried } = plan;
  const successor = (kind: string): string =>
    kind === deploymentType.kind ? `Deployment ${controllerName}` : `DaemonSet ${nodeAgentName}`;
  const flags = namedByFlags(carried.settings);
  return [
    ...waitFor.map((work) => `waited for  ${titleOfWork(work)}`),
    ...end.map((work) => `ended       ${titleOfWork(work)}`),
    ...leave.map((work) => `left        ${titleOfWork(work)}, as it is`),
    ...(replace.length + remove.length + bindings.length === 0
      ? []
      : [
          `saved       what is replaced or removed, in Secret ${namespace}/${recordName}: the way back (deploy/README.md)`,
        ]),
    ...replace.map(
      ({ kind, metadata }) => `replaced    ${kind} ${namespace}/${metadata.name} by ${successor(kind)} of Lateen`,
    ),
    ...remove.map(
      ({ kind, metadata }) => `removed     ${kind} ${namespace}/${metadata.name}: there is no image for Windows nodes`,
    ),
    ...bindings.map(({ binding, accounts, others }) => {
      const what = `ClusterRoleBinding ${binding.metadata.name}`;
      const whose = `ServiceAccount ${accounts.map((name) => `${namespace}/${name}`).join(', ')}`;
      return others.length === 0
        ? `removed     ${what}, by which ${whose} may do everything`
        : `narrowed    ${what}: ${whose} is taken out, ${others.length} other subjects stay`;
    }),
    ...(flags.length === 0 ? [] : [`carried     settings of Velero: ${flags.join(' ')}`]),
    ...keep.map(([kind, names]) => `kept        ${kind} ${inShort(names)}`),
    `kept        every Secret, ${cloudCredentials.name} and ${repositoryCredentials.name} too, and what is stored`,
  ];
}
