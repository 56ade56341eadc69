import { describe, expect, it } from 'vitest';
import { type CaseRun, type GeneratedCase, generatedCase, runCase } from './generated-case.ts';
import { backedUp } from './restore-world.ts';
import { differences } from './restored-state.ts';

/*
 * The plan of a restore says for each object what the restore then does. There is one exception: whether a webhook admits an object whose
 * namespace or definition does not exist yet cannot be known before; the plan says so.
 */

const seeds = 240;
const perTest = 20;

const actOf = (outcome: string): string => outcome.split(' | ')[0] ?? '';
/** Admission could not be asked: neither the object nor its namespace or definition is in the cluster. */
const isUnasked = (place: string, would: string): boolean =>
  would.includes(' is not there yet') || / (shop|bank|mail|shop-2|vault)\/(default|kube-root-ca.crt)$/.test(place);

/** A webhook has rejected the object, or an object that a pod needs. */
const isRefused = (place: string, did: string): boolean =>
  did.endsWith('webhook no.example.com') ||
  (place.startsWith('Pod ') && /(serviceaccount|PriorityClass) .* found/.test(did));

/** By object: what the plan says, and what the restore did. */
function acts(plan: CaseRun, restore: CaseRun, one: GeneratedCase): { planned: Acts; done: Acts } {
  const planned: Acts = {};
  const done: Acts = {};
  for (const place of new Set([...Object.keys(plan.outcomes), ...Object.keys(restore.outcomes)])) {
    const [would, did] = [plan.outcomes[place] ?? '', restore.outcomes[place] ?? ''];
    if (one.denied.size > 0 && isUnasked(place, would) && isRefused(place, did)) continue;
    planned[place] = actOf(would);
    done[place] = actOf(did);
  }
  return { planned, done };
}

type Acts = Record<string, string>;

describe('the plan of a restore of generated clusters', () => {
  const firsts = Array.from({ length: seeds / perTest }, (_, at) => 1 + at * perTest);
  it.each(firsts)(
    'predicts the result of the restore object by object, and writes nothing, seeds from %i',
    async (first) => {
      for (let seed = first; seed < first + perTest; seed += 1) {
        const one = generatedCase(seed);
        const stored = await backedUp(one.source);
        const plan = await runCase(one, stored, { parallel: 8, dryRun: true });
        const restore = await runCase(one, stored, { parallel: 8 });
        const { planned, done } = acts(plan, restore, one);
        expect(differences(planned, done), `seed ${seed}`).toEqual({});
        expect(differences(plan.before, plan.state), `seed ${seed}`).toEqual({});
      }
    },
  );
});
