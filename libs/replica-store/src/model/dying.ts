/**
 * `before`: the effect did not happen. `after`: it did, and nobody heard. `during`: it has begun, and goes on by itself where somebody
 * is left to carry it out.
 */
export const deaths = ['before', 'after', 'during'] as const;
export type Death = (typeof deaths)[number];

export class Killed extends Error {}

export interface DeathPlan {
  /** Which call from now on; the next one is 1. */
  readonly step: number;
  readonly death: Death;
  /** Nothing works any more for whoever holds these ports; otherwise only this one call fails. */
  readonly isFinal: boolean;
  onDeath(): void;
}

export interface DyingPorts<T> {
  readonly ports: T;
  /** Only after this somebody dies. */
  arm(plan: DeathPlan | undefined): void;
}

/** Ports of which one call is the last, or fails alone. */
export function dyingPorts<T extends Record<string, object>>(real: T): DyingPorts<T> {
  let plan: DeathPlan | undefined;
  let step = 0;
  let isDead = false;
  const effect = async (perform: () => Promise<unknown>): Promise<unknown> => {
    if (isDead) throw new Killed('the process is dead');
    if (plan === undefined || ++step !== plan.step) return perform();
    const performed = plan.death === 'before' ? undefined : perform().catch(() => {});
    await (plan.death === 'after' ? performed : Promise.resolve());
    isDead = plan.isFinal;
    plan.onDeath();
    throw new Killed(`killed ${plan.death} call ${step}`);
  };
  const ports = Object.entries(real).map(([name, port]) => [
    name,
    Object.fromEntries(
      Object.entries(port).map(([method, call]: [string, (...args: never[]) => Promise<unknown>]) => [
        method,
        (...args: never[]) => effect(() => call(...args)),
      ]),
    ),
  ]);
  return {
    ports: Object.fromEntries(ports) as T,
    arm: (next) => {
      plan = next;
      step = 0;
    },
  };
}
