import { type DataDownload, dataDownloadType } from '@lateen/api-types';
import { type DownloadRequest, fenceLimits } from '@lateen/datapath';
import { AppError } from '@lateen/errors';
import { type KubeApi, kubeError } from '@lateen/kube';
import { eventRecorder } from '@lateen/kube-runtime';
import { aDataDownload, FakeClock, fakeCluster, recordingLog, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { moveVolume } from './move-volume.ts';

const { confirmedForMs, engineStopMs, askEveryMs } = fenceLimits;
const key = { namespace: 'velero', name: 'dd-1' };

/** The engine's reaction when it is asked to end. */
type OnStop = 'ends' | 'breaks' | 'hangs';

/** A restore whose engine never ends by itself, on a network that can be cut. */
function start({ onStop = 'ends', phase = 'InProgress' }: { onStop?: OnStop; phase?: string } = {}) {
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock, objects: [aDataDownload({ name: key.name, phase: phase as 'InProgress' })] });
  const network = { cut: false };
  const kube = onNetwork(cluster, network);
  const [random, log] = [seededRandom(5), recordingLog()];
  const engine = { begun: false, ended: false };
  const download = ({ signal }: DownloadRequest) => {
    engine.begun = true;
    return new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => {
        if (onStop === 'hangs') return;
        engine.ended = true;
        reject(onStop === 'ends' ? signal.reason : new AppError('UPLOADER_FAILED', 'signal: interrupt'));
      }),
    );
  };
  const said: string[] = [];
  const ports = {
    ...{ kube, clock, random, log, namespace: key.namespace, podUid: 'uid-pod' },
    events: eventRecorder({ api: kube, component: 'dd-1', host: 'node-1', clock, random, log }),
    checkVolume: async () => {},
    isMarked: async () => false,
    markVolume: async () => {},
    openEngine: async () => ({
      uploader: { download, upload: () => Promise.reject(new Error('the wrong direction')) },
      close: async () => {},
    }),
    writeTermination: async (message: string) => {
      said.push(message);
    },
  };
  const task = {
    dataPath: 'data-download' as const,
    volumePath: '/uid',
    volumeMode: 'Filesystem' as const,
    ...{ name: key.name, resourceTimeoutMs: 600_000 },
  };
  let exitCode: number | undefined;
  const end = moveVolume(task, ports, new AbortController().signal).then((code) => {
    exitCode = code;
  });
  return { clock, cluster, network, engine, said, end, exitCode: () => exitCode };
}

/** While the network is cut, calls fail and watches are silent, because their connections are half open. */
function onNetwork(kube: KubeApi, network: { cut: boolean }): KubeApi {
  const through = <A extends unknown[], R>(call: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      if (network.cut) throw kubeError('KUBE_UNAVAILABLE', 'connect ETIMEDOUT');
      return await call(...args);
    };
  };
  return {
    get: through(kube.get) as KubeApi['get'],
    list: through(kube.list) as KubeApi['list'],
    create: through(kube.create) as KubeApi['create'],
    update: through(kube.update) as KubeApi['update'],
    patch: through(kube.patch) as KubeApi['patch'],
    delete: through(kube.delete) as KubeApi['delete'],
    async *watch(type, options) {
      for await (const event of kube.watch(type, options)) if (!network.cut) yield event;
    },
  };
}

describe('a restore without a connection', () => {
  it.each<OnStop>(['ends', 'breaks'])(
    'stops its engine, which %s, when its confirmation has expired, and reports an interruption',
    async (onStop) => {
      const { clock, network, engine, said } = start({ onStop });
      await clock.advance(2 * askEveryMs);
      expect(engine.begun).toBe(true);
      network.cut = true;
      await clock.advance(confirmedForMs - askEveryMs);
      expect(engine.ended).toBe(false);
      await clock.advance(askEveryMs);
      expect(engine.ended).toBe(true);
      expect(said).toHaveLength(1);
      expect(said[0]).toMatch(/: data path is interrupted$/);
      expect(said[0]).toContain(onStop === 'ends' ? 'has not confirmed for 2m0s' : 'signal: interrupt');
    },
  );

  it('ends the process when its engine does not stop, without further waits', async () => {
    const { clock, network, engine, said, exitCode } = start({ onStop: 'hangs' });
    await clock.advance(askEveryMs);
    network.cut = true;
    await clock.advance(confirmedForMs + engineStopMs);
    expect(engine.ended).toBe(false);
    expect(exitCode()).toBe(1);
    expect(said[0]).toMatch(/the engine had to stop .* it is killed with its container: data path is interrupted$/);
  });

  it('continues when the network is back in time', async () => {
    const { clock, network, engine, said } = start();
    await clock.advance(askEveryMs);
    for (let cut = 0; cut < 5; cut++) {
      network.cut = true;
      await clock.advance(confirmedForMs - 2 * askEveryMs);
      network.cut = false;
      await clock.advance(askEveryMs);
    }
    expect([engine.ended, said]).toEqual([false, []]);
  });

  it('stops after the network is back when another attempt is InProgress', async () => {
    const { clock, cluster, network, engine, said } = start();
    await clock.advance(askEveryMs);
    network.cut = true;
    cluster.change<DataDownload>(dataDownloadType, key, ({ metadata }) => {
      metadata.annotations = { 'lateen.dev/attempts': '2', 'lateen.dev/hosting-pod-uid': 'another' };
    });
    await clock.advance(askEveryMs);
    network.cut = false;
    await clock.advance(askEveryMs);
    expect(engine.ended).toBe(true);
    expect(said[0]).toContain('is in attempt 2, and this is attempt 1');
  });

  it('writes nothing before its attempt is confirmed, whatever its watch has shown', async () => {
    const { clock, cluster, engine } = start();
    let gets = 0;
    const end = cluster.intercept(async (call, next) => {
      if (call.verb !== 'get') return await next();
      gets += 1;
      throw kubeError('KUBE_UNAVAILABLE', 'connect ETIMEDOUT');
    });
    await clock.advance(confirmedForMs);
    expect(gets).toBeGreaterThan(0);
    expect(engine.begun).toBe(false);
    end();
    await clock.advance(askEveryMs);
    expect(engine.begun).toBe(true);
  });
});
