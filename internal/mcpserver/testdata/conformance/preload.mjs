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
