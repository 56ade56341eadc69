import type { KubeApi } from '@lateen/kube';
import type { CallPace } from './call-pace.ts';

/** The same API; the pace learns from each call except watches, whose duration says nothing. It does not delay calls. */
export function pacedApi(api: KubeApi, pace: Pick<CallPace, 'learnFrom'>): KubeApi {
  return {
    get: (type, key, options) => pace.learnFrom(() => api.get(type, key, options)),
    list: (type, options) => pace.learnFrom(() => api.list(type, options)),
    watch: (type, options) => api.watch(type, options),
    create: (type, object, options) => pace.learnFrom(() => api.create(type, object, options)),
    update: (type, object, options) => pace.learnFrom(() => api.update(type, object, options)),
    patch: (type, key, patch, options) => pace.learnFrom(() => api.patch(type, key, patch, options)),
    delete: (type, key, options) => pace.learnFrom(() => api.delete(type, key, options)),
  };
}
