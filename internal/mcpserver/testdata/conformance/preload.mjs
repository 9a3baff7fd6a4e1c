// The conformance suite imports fs.globSync, which Node has since version 22 only; what it
// does against servers never calls it. On an older Node its import of fs gets one.
import fs from 'node:fs';
import { register } from 'node:module';

const source = (text) => 'data:text/javascript,' + encodeURIComponent(text);

if (!fs.globSync) {
  const shim = source(`
    export * from 'node:fs';
    export { default } from 'node:fs';
    export const globSync = () => { throw new Error('this Node has no fs.globSync'); };
  `);
  register(source(`
    export const resolve = (specifier, context, next) =>
      specifier === 'fs' && context.parentURL?.includes('/conformance/dist/')
        ? { url: ${JSON.stringify(shim)}, shortCircuit: true }
        : next(specifier, context);
  `));
}

// A busy machine decides nothing: what the suite gives up after seconds it gives up after
// minutes. The waits of one second are for what may never come, so they stay short.
const { setTimeout: asSaid } = globalThis;
const patient = (ms) => ms >= 2000 ? 30 * ms : ms >= 1000 ? 3 * ms : ms;
globalThis.setTimeout = Object.assign((f, ms, ...args) => asSaid(f, patient(ms), ...args), asSaid);
