import {
  configMapType,
  daemonSetType,
  namespaceType,
  type Pod,
  persistentVolumeType,
  podType,
  type ResourceType,
} from '@lateen/api-types';
import { deleteNamespace, podShell } from '@lateen/demo';
import { type ExposeOwner, type ExposureSettings, type PodVolumeExposeParam, podVolumeExposer } from '@lateen/exposer';
import { silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import type { KubeApi, KubeObject } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import type { LateenUnderTest } from './provided-lateen.ts';

const runMsMax = 60_000;

/** An exposed volume, and commands in its hosting pod. */
export interface Exposed {
  pod: Pod;
  /** Runs a command in the directory of the volume. @throws with the error output of the shell */
  sh(script: string): Promise<string>;
  cleanUp(): Promise<void>;
}

/** Exposes volumes of pods from its own namespace, with hosting pods that sleep, so that tests can look at what they see. */
export interface ExposureRig {
  namespace: string;
  expose(param: PodVolumeExposeParam, settings?: ExposureSettings): Promise<Exposed>;
  /** Waits until the diagnosis of a pod that does not start matches, and returns it. */
  untilDiagnosed(param: PodVolumeExposeParam, settings: ExposureSettings, words: RegExp): Promise<string>;
  label(labels: Readonly<Record<string, string>>): Promise<void>;
  /** Names of the additional PersistentVolumes that expose volumes by a claim. */
  lent(): Promise<string[]>;
  close(): Promise<void>;
}

export async function exposureRig(lateen: LateenUnderTest, namespace: string): Promise<ExposureRig> {
  const { kube, image } = lateen;
  await kube.create(namespaceType, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await kube.create(daemonSetType, nodeAgentTemplate(namespace, image));
  const lent = async () =>
    (await kube.list(persistentVolumeType)).items.filter(({ spec }) => spec.claimRef?.namespace === namespace);

  const begin = async (param: PodVolumeExposeParam, settings: ExposureSettings) => {
    const signal = systemClock.deadline(runMsMax);
    const owner = await anOwner(kube, namespace);
    const exposer = podVolumeExposer({
      kube: asleep(kube),
      clock: systemClock,
      random: systemRandom,
      log: silentLogger,
      settings,
    });
    const cleanUp = () => exposer.cleanUp(owner, param, { signal: systemClock.deadline(runMsMax) });
    try {
      await exposer.expose(owner, param, { signal });
    } catch (error) {
      await cleanUp();
      throw error;
    }
    return { owner, cleanUp, signal, diagnose: () => exposer.diagnose(owner, param, { signal }) };
  };

  return {
    namespace,
    expose: async (param, settings = {}) => {
      const { owner, cleanUp, signal, diagnose } = await begin(param, settings);
      const key = { namespace, name: owner.name };
      const pod = await waitForObject<Pod, Pod>({
        api: kube,
        type: podType,
        key,
        clock: systemClock,
        signal,
        until: (seen) => (seen?.status?.phase === 'Running' ? seen : undefined),
      }).catch(async (error: unknown) => {
        const why = await diagnose().catch(() => undefined);
        throw new Error(`the hosting pod does not run: ${why}`, { cause: error });
      });
      const shell = podShell({ ...lateen, namespace, pod: owner.name, signal: systemClock.deadline(runMsMax) });
      return {
        pod,
        cleanUp,
        sh: (script) => shell.run(['sh', '-euc', `cd /${owner.uid}; ${script}`]),
      };
    },
    untilDiagnosed: async (param, settings, words) => {
      const { cleanUp, signal, diagnose } = await begin(param, settings);
      try {
        for (;;) {
          const why = await diagnose();
          if (why !== undefined && words.test(why)) return why;
          await systemClock.sleep(500, signal);
        }
      } finally {
        await cleanUp();
      }
    },
    label: async (labels) => {
      await kube.patch(namespaceType, { name: namespace }, { type: 'merge', body: { metadata: { labels } } });
    },
    lent: async () => (await lent()).map(({ metadata }) => metadata.name ?? ''),
    close: async () => {
      for (const { metadata } of await lent()) await kube.delete(persistentVolumeType, { name: metadata.name ?? '' });
      await deleteNamespace(kube, namespace, systemClock, systemClock.deadline(runMsMax));
    },
  };
}

/** An owner for hosting pods that no node-agent watches. */
async function anOwner(kube: KubeApi, namespace: string): Promise<ExposeOwner> {
  const name = `moves-${systemRandom.suffix(5)}`;
  const { metadata } = await kube.create(configMapType, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace, name },
  });
  return { apiVersion: 'v1', kind: 'ConfigMap', namespace, name, uid: metadata.uid ?? '' };
}

/** A DaemonSet without pods: only its template is read, which has the security settings of an installation. */
function nodeAgentTemplate(namespace: string, image: string) {
  const labels = { name: 'template' };
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { namespace, name: 'node-agent' },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          nodeSelector: { 'lateen.dev/no-such-node': 'true' },
          securityContext: { runAsUser: 0, seccompProfile: { type: 'RuntimeDefault' } },
          containers: [
            {
              name: 'node-agent',
              image,
              securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
            },
          ],
        },
      },
    },
  };
}

function asleep(kube: KubeApi): KubeApi {
  return {
    ...kube,
    create: <T extends KubeObject>(type: ResourceType<T>, object: NoInfer<T>, options?: object) =>
      kube.create(type, object.kind === 'Pod' ? (sleeping(object as unknown as Pod) as unknown as T) : object, options),
  };
}

const sleeping = (pod: Pod): Pod => ({
  ...pod,
  spec: {
    ...pod.spec,
    containers: pod.spec.containers.map((each) => ({ ...each, command: ['sleep', 'infinity'], args: [] })),
  },
});
