// Runs in every browser, however old: says in plain words why the page cannot run here.
(function () {
  'use strict';
  var lacking = [];
  if (typeof WebAssembly !== 'object') lacking.push('WebAssembly');
  if (typeof Worker !== 'function') lacking.push('workers');
  if (!('noModule' in document.createElement('script'))) lacking.push('modules');
  var message = location.protocol === 'file:'
    ? 'Browsers do not load this page from a file: put its folder on a web server. For a look at it, hapax web has --serve.'
    : 'This browser is too old for this page: it lacks ' + lacking.join(' and ') +
      '. Firefox 114, Chrome 85, Safari 15 or anything newer can show it.';
  if (lacking.length === 0 && location.protocol !== 'file:') return;
  document.documentElement.className = 'unsupported';
  document.addEventListener('DOMContentLoaded', function () {
    var trouble = document.getElementById('trouble');
    trouble.textContent = message;
    trouble.removeAttribute('hidden');
  });
})();
