import { isDeepStrictEqual } from 'node:util';
import {
  annotations,
  type Container,
  type DaemonSet,
  labels,
  type PodSpec,
  serviceAccountName,
} from '@lateen/api-types';
import { bringsPlugins, pluginsOf } from '@lateen/manifests';
import type { KeptSettings } from '../install/kept-settings.ts';
import { flagsOf, isLost, settingsOfFlags } from './reference-flags.ts';
import type { ReferenceInstallation } from './reference-installation.ts';

/** Which of Velero's settings become flags of `lateen install`, and which do not. */
export interface CarriedSettings {
  settings: KeptSettings;
  /** One sentence for each custom setting that is not carried over. */
  remarks: string[];
}

type Found = Pick<ReferenceInstallation, 'server' | 'agents' | 'account'>;

/** Annotations by which clouds give a service account its rights. */
const cloudAnnotations = /^(eks\.amazonaws\.com|iam\.gke\.io|azure\.workload\.identity)\//;

/** Environment variables that `velero install` sets itself. */
const usualVariables: ReadonlySet<string> = new Set([
  'VELERO_NAMESPACE',
  'VELERO_SCRATCH_DIR',
  'LD_LIBRARY_PATH',
  'NODE_NAME',
  'AWS_SHARED_CREDENTIALS_FILE',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'AZURE_CREDENTIALS_FILE',
  'ALIBABA_CLOUD_CREDENTIALS_FILE',
]);

/** Plugins whose object stores are built in; users who take native snapshots with one add it: `lateen plugin add`. */
const builtInPlugins = /velero-plugin-for-(aws|microsoft-azure|gcp|csi)(?=[:@]|$)/;

/** The affinity that `velero install` sets itself. */
const notOnWindows = {
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/os', operator: 'NotIn', values: ['windows'] }] }],
    },
  },
};

/** Where pods run and how their image is pulled: fields that our manifests leave open. */
const placing = ['nodeSelector', 'tolerations', 'affinity', 'priorityClassName', 'imagePullSecrets'] as const;

/** Pure. */
export function carriedSettings(found: Found): CarriedSettings {
  const workloads = [found.server, ...found.agents.filter(isForLinux)].filter((it) => it !== undefined);
  const parts = workloads.map((workload) => {
    const pod = workload.spec.template.spec;
    const title = `${workload.kind} ${workload.metadata.name}`;
    return { title, pod, flags: pod.containers.flatMap(flagsOf) };
  });
  const flags = parts.flatMap((part) => part.flags);
  return {
    settings: {
      ...settingsOfFlags(flags),
      ...settingsOfAccount(found),
      ...settingsOfPods(found),
      ...settingsOfAgents(found),
      ...settingsOfPlugins(found),
    },
    remarks: parts.flatMap(({ title, pod, flags: own }) => [
      ...remark(
        `flags of ${title}`,
        own.filter(isLost).map(([name]) => `--${name}`),
      ),
      ...remark(`variables of ${title}`, pod.containers.flatMap(unusualVariables)),
      ...remark(
        `fields of ${title}`,
        placing.filter((field) => isSet(pod, field)),
      ),
      ...remark(
        `init containers of ${title}`,
        (pod.initContainers ?? []).filter((each) => !bringsPlugins(each)).map(({ name }) => name),
      ),
    ]),
  };
}

const isForLinux = ({ spec }: DaemonSet): boolean =>
  spec.template.spec.os?.name !== 'windows' && spec.template.spec.nodeSelector?.['kubernetes.io/os'] !== 'windows';

const remark = (what: string, names: readonly string[]): string[] =>
  names.length === 0 ? [] : [`${what} are not carried over: ${names.join(', ')}`];

/** A custom account continues to be used; Velero's account is replaced by ours, and the node-agents get its cloud rights too. */
function settingsOfAccount({ server, account }: Found): KeptSettings {
  const name = server?.spec.template.spec.serviceAccountName;
  if (name !== undefined && name !== serviceAccountName) return { serviceAccountName: name };
  const ofCloud = Object.entries(account?.metadata.annotations ?? {}).filter(([key]) => cloudAnnotations.test(key));
  return ofCloud.length === 0 ? {} : { saAnnotations: pairs(ofCloud) };
}

function settingsOfPods({ server, agents }: Found): KeptSettings {
  const workloads = [...(server === undefined ? [] : [server]), ...agents];
  const pods = workloads.map(({ spec }) => spec.template.metadata ?? {});
  const own = (of: 'labels' | 'annotations', key: string): [string, string][] =>
    pods.flatMap((metadata) => {
      const value = metadata[of]?.[key];
      return value === undefined ? [] : [[key, value] as [string, string]];
    });
  const [label] = own('labels', labels.azureWorkloadIdentity);
  const [annotation] = own('annotations', annotations.iamRole);
  return {
    ...(label === undefined ? {} : { podLabels: pairs([label]) }),
    ...(annotation === undefined ? {} : { podAnnotations: pairs([annotation]) }),
  };
}

/** The directory where the agents look for pod volumes (`velero install --kubelet-root-dir`). */
function settingsOfAgents({ agents }: Found): KeptSettings {
  const volumes = agents.filter(isForLinux).flatMap(({ spec }) => spec.template.spec.volumes ?? []);
  const { path = '' } =
    (volumes.find(({ name }) => name === 'host-pods') as { hostPath?: { path?: string } } | undefined)?.hostPath ?? {};
  const directory = path.replace(/\/pods\/?$/, '');
  return directory === path || directory === '/var/lib/kubelet' ? {} : { kubeletRootDir: directory };
}

function settingsOfPlugins({ server }: Found): KeptSettings {
  const images = server === undefined ? [] : pluginsOf(server.spec.template.spec).map(({ image }) => image);
  const foreign = images.filter(isForeignPlugin);
  return foreign.length === 0 ? {} : { plugins: foreign.join(',') };
}

const pairs = (entries: readonly [string, string][]): string =>
  entries.map(([key, value]) => `${key}=${value}`).join(',');

const unusualVariables = ({ env = [] }: Container): string[] =>
  env.map(({ name }) => name).filter((name) => !usualVariables.has(name));

function isSet(pod: PodSpec, field: (typeof placing)[number]): boolean {
  const value = pod[field];
  if (field === 'nodeSelector') return Object.keys(value ?? {}).some((key) => key !== 'kubernetes.io/os');
  if (field === 'affinity') return value !== undefined && !isDeepStrictEqual(value, notOnWindows);
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== '';
}

const isForeignPlugin = (image: string): boolean => !builtInPlugins.test(image);
