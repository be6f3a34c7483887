// Runs in every browser, however old: says in plain words when this one cannot run the page.
(function () {
  'use strict';
  var lacking = [];
  if (typeof WebAssembly !== 'object') lacking.push('WebAssembly');
  if (typeof Worker !== 'function') lacking.push('workers');
  if (!('noModule' in document.createElement('script'))) lacking.push('modules');
  if (lacking.length === 0) return;
  document.documentElement.className = 'unsupported';
  document.addEventListener('DOMContentLoaded', function () {
    var trouble = document.getElementById('trouble');
    trouble.textContent = 'This browser is too old for this page: it lacks ' + lacking.join(' and ') +
      '. Firefox 114, Chrome 85, Safari 15 or anything newer can show it.';
    trouble.removeAttribute('hidden');
  });
})();
